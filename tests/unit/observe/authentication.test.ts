import { expect, it } from 'vitest';
import { wrapAuthentication } from '../../../server/src/observe/authentication';
import { record, Recording } from '../../../server/src/observe/recording';

it.each([
  [{ scope: ['find'] }, false, ['{"scope":["find"]}']],
  // For callers who have logged in, whatever they may do.
  [undefined, false, ['{}']],
  // Strapi's own asks for each relation that it may show.
  [{ scope: ['find'] }, true, []],
])(
  'a handler that asks authorisation for %j, Strapi’s own: %s, has each hit asked for %j',
  async (config, own, asked) => {
    const service = {
      authenticate: () => Promise.resolve(undefined),
      verify: (_auth: unknown, _config?: unknown) => Promise.resolve(undefined),
    };
    wrapAuthentication(service, {
      authenticate: (_ctx, strategies) => strategies(() => Promise.resolve(undefined)),
      verify: (_auth, _config, ask) => ask(),
    });
    const recording = new Recording();
    Object.assign(recording, { makesAnswer: true, isByStrapi: own });
    await record(recording, () => service.verify({}, config));
    expect([...recording.granted]).toEqual(asked);
  },
);

import { expect, it } from 'vitest';
import { wrapAuthentication } from '../../../server/src/observe/authentication';
import { record, Recording } from '../../../server/src/observe/recording';

it.each([
  [{ scope: ['find'] }, '{"scope":["find"]}'],
  // For callers who have logged in, whatever they may do.
  [undefined, '{}'],
])('a handler that asks authorisation for %j is granted what each hit is asked for again', async (config, asked) => {
  const service = {
    authenticate: () => Promise.resolve(undefined),
    verify: (_auth: unknown, _config?: unknown) => Promise.resolve(undefined),
  };
  wrapAuthentication(service, {
    authenticate: (_ctx, strategies) => strategies(() => Promise.resolve(undefined)),
    verify: (_auth, _config, ask) => ask(),
  });
  const recording = new Recording();
  recording.makesAnswer = true;
  await record(recording, () => service.verify({}, config));
  expect([...recording.granted]).toEqual([asked]);
});

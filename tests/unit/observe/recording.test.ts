import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { named } from '../../../server/src/cache/sentence';
import type { Sequence } from '../../../server/src/cache/sequence';
import { tag } from '../../../server/src/cache/tag';
import type { RequestContext } from '../../../server/src/observe/recording';

/** Made like Strapi's own request context. */
const createRequestContext = (): RequestContext => {
  const storage = new AsyncLocalStorage<unknown>();
  return {
    run: async (store, work) => storage.run(store, work),
    get: () => storage.getStore(),
  };
};

type Module = typeof import('../../../server/src/observe/recording');

let recordings: Module;
beforeEach(async () => {
  vi.resetModules();
  recordings = await import('../../../server/src/observe/recording');
});

/** Begins a request as Strapi's outermost middleware and the plugin's do. */
const request = (requestContext: RequestContext, recording: InstanceType<Module['Recording']>, work: () => unknown) => {
  const ctx = { [recordings.EXCHANGE]: { recording } };
  return requestContext.run(ctx, () => recordings.recordRequest(ctx, recording, work));
};

it.each(['followed', 'not followed'])(
  'where the request context is %s, every request finds its own recording',
  async (how) => {
    const requestContext = createRequestContext();
    if (how === 'followed') recordings.followRequests(requestContext);
    const found = await Promise.all(
      [5, 1, 3].map(async (milliseconds) => {
        const recording = new recordings.Recording();
        let current: unknown;
        await request(requestContext, recording, async () => {
          await pause(milliseconds);
          current = recordings.currentRecording();
        });
        return current === recording;
      }),
    );
    expect(found).toEqual([true, true, true]);
    expect(recordings.currentRecording()).toBeUndefined();
  },
);

it('a context that the application opens within a request, shared or none at all, does not lose it', async () => {
  const requestContext = createRequestContext();
  recordings.followRequests(requestContext);
  const shared = {};
  const found = await Promise.all(
    [shared, shared, undefined, null].map(async (store, index) => {
      const recording = new recordings.Recording();
      let current: unknown;
      await request(requestContext, recording, () =>
        requestContext.run(store, async () => {
          await pause(5 - index);
          current = recordings.currentRecording();
        }),
      );
      return current === recording;
    }),
  );
  expect(found).toEqual([true, true, true, true]);
});

it('a context is followed once, however often the plugin starts', () => {
  const requestContext = createRequestContext();
  recordings.followRequests(requestContext);
  const { run } = requestContext;
  recordings.followRequests(requestContext);
  expect(requestContext.run).toBe(run);
});

it('a context that cannot be followed is left alone', async () => {
  const requestContext = Object.freeze(createRequestContext());
  recordings.followRequests(requestContext);
  const recording = new recordings.Recording();
  let current: unknown;
  await request(requestContext, recording, () => {
    current = recordings.currentRecording();
  });
  expect(current).toBe(recording);
});

it('what was read where nothing can be told of it is no guard: nobody would notice that it has changed', () => {
  const recording = new recordings.Recording({ since: 1 as Sequence });
  recording.readPermission({ tables: ['up_users'], tags: () => [tag('up_users')] });
  expect(recording.guard()).toEqual({ tags: ['up_users'], since: 1 });
  recording.forbidStoring(named('it read up_users, a view'));
  expect(recording.guard()).toBeUndefined();
});

it.each(['followed', 'not followed'])(
  'where the request context is %s, authentication is told from what comes after it',
  async (how) => {
    const requestContext = createRequestContext();
    if (how === 'followed') recordings.followRequests(requestContext);
    const seen: boolean[] = [];
    const look = async (): Promise<void> => {
      await pause(1);
      seen.push(recordings.isAuthenticating());
    };
    await request(requestContext, new recordings.Recording(), async () => {
      await look();
      await recordings.authenticating(async (leave) => {
        await look();
        await leave(look);
      });
      await look();
    });
    expect(seen).toEqual([false, true, false, false]);
  },
);

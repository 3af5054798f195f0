import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
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

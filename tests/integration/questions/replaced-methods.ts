import { expect, it } from 'vitest';
import { parseCacheStatus } from '../../application/cache-status-field';
import { probeApi, type ProbeContext } from '../../application/probe';
import { thrice } from '../outcomes';
import type { Questions } from './questions';

type Method = (...given: unknown[]) => unknown;

/** Replaces a method by a function that calls the original one. */
const hooking = (target: object, name: string): void => {
  const before = Reflect.get(target, name) as Method;
  Object.defineProperty(target, name, {
    configurable: true,
    writable: true,
    value(this: unknown, ...given: unknown[]) {
      return before.apply(this, given);
    },
  });
};

const OF_RES = ['writeHead', 'setHeader', 'appendHeader', 'removeHeader', 'getHeader', 'write', 'end', 'flushHeaders'];
const OF_RESPONSE = ['set', 'append', 'remove'];

const answer = (): object => ({ at: Math.random() });

const REPLACED = [
  ...OF_RES.map((name) => [`res.${name}`, (ctx: ProbeContext) => hooking(ctx.res, name)] as const),
  ...OF_RESPONSE.map((name) => [`response.${name}`, (ctx: ProbeContext) => hooking(ctx.response, name)] as const),
  [
    'res.statusCode',
    ({ res }: ProbeContext) =>
      void Object.defineProperty(res, 'statusCode', { configurable: true, get: () => 200, set: () => undefined }),
  ] as const,
];

const LEFT: ReadonlyArray<readonly [what: string, act: (ctx: ProbeContext) => void]> = [
  ['listeners', ({ res }) => void res.on('finish', () => undefined).once('close', () => undefined)],
  ['functions of its own', (ctx) => void Object.assign(ctx.res, { locals: () => undefined, __onFinished: () => 1 })],
  ['properties', ({ res }) => void Object.assign(res, { statusMessage: 'OK', locals: {} })],
  ['functions on the context', (ctx) => void Object.assign(ctx, { render: () => 1 })],
];

const probe = probeApi([
  ...REPLACED.map(([, act], index) => ({
    path: `/probe/replaced-${index}`,
    handler: (ctx: ProbeContext) => (act(ctx), answer()),
  })),
  ...LEFT.map(([, act], index) => ({
    path: `/probe/left-${index}`,
    handler: (ctx: ProbeContext) => (act(ctx), answer()),
  })),
  {
    path: '/probe/around',
    handler: answer,
    config: { auth: false, middlewares: ['global::hooking'] },
  },
]);

export const replacedMethods: Questions = {
  about: 'methods of the response that were replaced',
  files: {
    ...probe.files,
    'src/middlewares/hooking.js': `module.exports = () => (ctx, next) => {
          const { writeHead } = ctx.res;
          ctx.res.writeHead = function (...given) {
            this.setHeader('X-Hooked', 'yes');
            return writeHead.apply(this, given);
          };
          return next();
        };`,
  },
  contentTypes: [{ contentType: 'api::tag.tag', routes: probe.paths }],
  ask: (application) => {
    it.each(REPLACED.map(([name], index) => [name, `/api/probe/replaced-${index}`] as const))(
      '%s by the handler: its answer is not stored, and says why',
      async (name, path) => {
        for (const { status, headers } of await thrice(application, path)) {
          expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
          expect(parseCacheStatus(String(headers['cache-status'])).parameters).toEqual({
            fwd: 'miss',
            detail: `replaces ${name}, so its answer is not final`,
          });
        }
      },
    );

    it.each(LEFT.map(([what], index) => [what, `/api/probe/left-${index}`] as const))(
      '%s change nothing',
      async (_what, path) => {
        expect((await thrice(application, path)).map(({ headers }) => headers['x-cache'])).toEqual([
          'MISS',
          'HIT',
          'HIT',
        ]);
      },
    );

    it('by a middleware around the route: it is called on hits as well', async () => {
      expect(
        (await thrice(application, '/api/probe/around')).map(({ headers }) => [
          headers['x-cache'],
          headers['x-hooked'],
        ]),
      ).toEqual([
        ['MISS', 'yes'],
        ['HIT', 'yes'],
        ['HIT', 'yes'],
      ]);
    });
  },
};

import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { probeApi } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

const names = async (strapi: Core.Strapi): Promise<unknown> => {
  const found = await strapi.documents('api::writer.editor').findMany({ fields: ['name'], sort: 'id' });
  return found.map(({ name }) => name);
};

/** One context for all requests, as in a careless application. */
const shared = { state: {} };

const probe = probeApi([
  {
    path: '/probe/shared',
    handler: async (ctx, strapi) => {
      await strapi.requestContext.run(shared as never, async () => {
        ctx.body = await names(strapi);
      });
    },
  },
  {
    path: '/probe/none-at-all',
    handler: async (ctx, strapi) => {
      await strapi.requestContext.run(undefined as never, async () => {
        ctx.body = await names(strapi);
      });
    },
  },
]);

export const requestContext: Questions = {
  about: 'a request context of the application’s own',
  files: probe.files,
  contentTypes: [{ contentType: 'api::writer.editor', routes: probe.paths }],
  ask: (application) => {
    it.each(probe.paths)(
      '%s: what is read in a request context of the application’s own is depended on',
      async (path) => {
        const visit = async () => {
          const { headers, body } = await rawRequest(application, path);
          return { outcome: headers['x-cache'], names: JSON.parse(body.toString()) as string[] };
        };
        // Both at once, because each has to find its own recording.
        await Promise.all(probe.paths.map((other) => rawRequest(application, other)));
        expect((await visit()).outcome).toBe('HIT');
        const name = `Editor of ${path}`;
        await application.strapi.documents('api::writer.editor').create({ data: { name } });
        const after = await visit();
        expect(after.outcome).toBe('MISS');
        expect(after.names).toContain(name);
        expect((await visit()).outcome).toBe('HIT');
      },
    );
  },
};

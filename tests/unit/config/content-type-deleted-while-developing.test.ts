import { expect, it } from 'vitest';
import { resolveConfig } from '../../../server/src/config/resolve';
import { application } from './application';

const written = { strategy: { contentTypes: ['api::deleted.deleted', 'api::article.article'] } };

it('is a warning under strapi develop, and the others stay cached', () => {
  const { strategy, warnings } = resolveConfig(written, { ...application(), isBeingDeveloped: true });
  expect(warnings.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('strategy.contentTypes[0]: "api::deleted.deleted" is not a content type'),
  );
  expect(strategy.contentTypes.map(({ uid }) => uid)).toEqual(['api::article.article']);
});

it('stops the boot in production', () => {
  expect(() => resolveConfig(written, application())).toThrow('"api::deleted.deleted" is not a content type');
});

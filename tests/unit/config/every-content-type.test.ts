import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../server/src/config/resolve';
import { application, get } from './application';

const resolve = (contentTypes: unknown, changes = {}) =>
  resolveConfig({ strategy: { contentTypes } }, application(changes));

const uidsOf = (contentTypes: unknown): string[] => resolve(contentTypes).strategy.contentTypes.map(({ uid }) => uid);

const OWN = ['api::article.article', 'api::category.category', 'api::writer.editor', 'api::homepage.homepage'];

describe("'*'", () => {
  it.each([
    ['alone', '*'],
    ['in a list', ['*']],
    ['beside what is not set', [{ contentType: '*', maxAge: undefined }]],
  ])("stands for every type of the application's own, %s", (_how, written) => {
    const { strategy, warnings } = resolve(written);
    expect(strategy.contentTypes.map(({ uid }) => uid)).toEqual(OWN);
    expect(strategy.contentTypes.flatMap(({ routes }) => routes.map(({ path }) => path))).toEqual([
      '/api/articles',
      '/api/articles/:id',
      '/api/categories',
      '/api/categories/:id',
      '/api/editors',
      '/api/editors/:id',
      '/api/homepage',
    ]);
    expect(warnings).toEqual([]);
  });

  it('leaves out types without a core route, which nothing could be cached of', () => {
    const routes = application().routes.filter(({ path }) => !path.startsWith('/api/editors'));
    expect(resolve('*', { routes }).strategy.contentTypes.map(({ uid }) => uid)).not.toContain('api::writer.editor');
  });

  it("takes a plugin's type where it is named", () => {
    expect(uidsOf(['*', 'plugin::upload.file'])).toEqual(['plugin::upload.file', ...OWN]);
  });

  it('leaves to a type that is named its own settings', () => {
    const { strategy } = resolve([{ contentType: 'api::article.article', maxAge: 5000 }, '*']);
    expect(strategy.contentTypes.map(({ uid, maxAge }) => [uid, maxAge])).toEqual([
      ['api::article.article', 5000],
      ...OWN.slice(1).map((uid) => [uid, 3_600_000]),
    ]);
  });

  it('takes no route from a type that lists it', () => {
    const { strategy } = resolve(['*', { contentType: 'api::article.article', routes: ['/api/homepage'] }]);
    expect(strategy.contentTypes.map(({ uid }) => uid)).toEqual(OWN.slice(0, 3));
    expect(strategy.contentTypes[0]?.routes.map(({ path }) => path)).toContain('/api/homepage');
  });

  it('says that it has found none', () => {
    expect(resolve('*', { routes: [] }).warnings.map(({ text }) => text)).toEqual([
      'strategy.contentTypes[0]: "*" found no content type with a route that could be cached.',
    ]);
  });
});

describe("'!' in front of a uid", () => {
  it("leaves it out of '*', wherever it stands", () => {
    expect(uidsOf(['*', '!api::category.category'])).toEqual(OWN.filter((uid) => uid !== 'api::category.category'));
    expect(uidsOf(['!api::homepage.homepage', '*'])).toEqual(OWN.slice(0, 3));
  });

  it.each([
    [
      ['*', '!api::artcle.article'],
      '"api::artcle.article" is not a content type of this application; did you mean "!api::article.article"?',
    ],
    [['*', '!artcle'], '"artcle" is not a content type of this application; did you mean "!api::article.article"?'],
    [['*', '!article'], '"article" is not a content type of this application; did you mean "!api::article.article"?'],
    [
      ['*', 'api::article.article', '!api::article.article'],
      'strategy.contentTypes[2]: "api::article.article" is named already at strategy.contentTypes[1]; keep one of them.',
    ],
    [['*', '*'], 'strategy.contentTypes[1]: "*" is named already at strategy.contentTypes[0]; keep one of them.'],
    [[{ contentType: '*', maxAge: 5000 }], 'strategy.contentTypes[0].maxAge does not belong beside "*"'],
    [
      ['*', { contentType: '!api::article.article', routes: [] }],
      'strategy.contentTypes[1].routes does not belong beside',
    ],
  ])('stops the boot: %j', (written, problem) => {
    expect(() => resolve(written)).toThrow(problem);
  });

  it.each([
    [['*', '!plugin::upload.file'], 'strategy.contentTypes[1]: "!plugin::upload.file" has no effect: there is no "*"'],
    [['!api::article.article'], 'strategy.contentTypes[0]: "!api::article.article" has no effect: there is no "*"'],
  ])('has no effect, and that is said: %j', (written, warning) => {
    expect(resolve(written).warnings.map(({ text }) => text)).toContainEqual(expect.stringContaining(warning));
  });
});

it('does not stop at a route that two found types share', () => {
  const routes = [...application().routes, get('/api/articles', 'api::writer.editor.find', { apiName: 'writer' })];
  expect(() => resolve('*', { routes })).not.toThrow();
});

it.each([
  [['*', '!api::gone.gone'], OWN],
  [['api::gone.gone', 'api::article.article'], ['api::article.article']],
])('a type that strapi develop has deleted is a warning, and the others stay cached: %j', (written, uids) => {
  const { strategy, warnings } = resolve(written, { isBeingDeveloped: true });
  expect(strategy.contentTypes.map(({ uid }) => uid)).toEqual(uids);
  const told = expect.stringContaining('"api::gone.gone" is not a content type') as unknown;
  expect(warnings.map(({ text }) => text)).toContainEqual(told);
  expect(() => resolve(written)).toThrow('"api::gone.gone" is not a content type');
});

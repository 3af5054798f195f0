import { describe, expect, it } from 'vitest';

import type { AttributeFacts, SchemaFacts } from '../../../server/src/config/application-facts';
import { relatedContentTypes, shownContentTypes } from '../../../server/src/config/related-content-types';
import { application } from './application';

type Attributes = Readonly<Record<string, AttributeFacts>>;

const related = (attributes: Attributes, components: Readonly<Record<string, Attributes>> = {}): readonly string[] =>
  shownContentTypes(
    'api::article.article',
    application({
      contentTypes: {
        'api::article.article': { kind: 'collectionType', attributes },
        'api::author.author': { kind: 'collectionType', attributes: { company: relation('api::company.company') } },
      },
      components: Object.fromEntries(
        Object.entries(components).map(([uid, own]): [string, SchemaFacts] => [uid, { attributes: own }]),
      ),
    }),
  );

const relation = (target: string): AttributeFacts => ({ type: 'relation', target });
const component = (uid: string): AttributeFacts => ({ type: 'component', component: uid });
const media: AttributeFacts = { type: 'media' };

const [ARTICLE, AUTHOR, FILE] = ['api::article.article', 'api::author.author', 'plugin::upload.file'] as const;
const ADMIN = relation('admin::user');

describe('what a type shows', () => {
  it.each<
    [what: string, attributes: Attributes, expected: string[], components?: Readonly<Record<string, Attributes>>]
  >([
    ['nothing, by plain fields', { title: { type: 'string' }, body: { type: 'richtext' } }, []],
    ['the target of a relation, and not its relations', { author: relation(AUTHOR) }, [AUTHOR]],
    ['files, by media', { cover: media }, [FILE]],
    ['what a component is related to', { seo: component('shared.seo') }, [FILE], { 'shared.seo': { image: media } }],
    [
      'what the components of a dynamic zone are related to',
      { blocks: { type: 'dynamiczone', components: ['blocks.quote', 'blocks.gallery'] } },
      [AUTHOR, FILE],
      { 'blocks.quote': { by: relation(AUTHOR) }, 'blocks.gallery': { images: media } },
    ],
    [
      'what components in components are related to',
      { a: component('c.one') },
      ['api::tag.tag'],
      {
        'c.one': { b: component('c.two') },
        'c.two': { c: component('c.three') },
        'c.three': { tag: relation('api::tag.tag') },
      },
    ],
    [
      'each type once, in order',
      { b: relation('api::b.b'), a: relation('api::a.a'), again: relation('api::b.b') },
      ['api::a.a', 'api::b.b'],
    ],
    ['not itself', { localizations: relation(ARTICLE), parent: relation(ARTICLE) }, []],
    ['not those who wrote it', { createdBy: { ...ADMIN, private: true }, updatedBy: ADMIN }, []],
    ['those who wrote it, where responses show them', { createdBy: { ...ADMIN, private: false } }, ['admin::user']],
    ['an admin by a relation of its own', { reviewer: ADMIN }, ['admin::user']],
    ['no type in particular, by a relation to any', { related: { type: 'relation' } }, []],
    ['nothing, by a component that does not exist', { lost: component('c.lost') }, []],
  ])('%s', (_what, attributes, expected, components) => {
    expect(related(attributes, components)).toEqual(expected);
  });
});

it('what a type shows ends where components hold each other', () => {
  const zone: AttributeFacts = { type: 'dynamiczone', components: ['c.a', 'c.b'] };
  expect(
    related(
      { zone },
      { 'c.a': { b: component('c.b') }, 'c.b': { a: component('c.a'), tag: relation('api::tag.tag') } },
    ),
  ).toEqual(['api::tag.tag']);
});

it('the other way round, a type is related to those that show it, itself or in a component', () => {
  const facts = application({
    contentTypes: {
      'api::tag.tag': { kind: 'collectionType', attributes: {} },
      'api::article.article': { kind: 'collectionType', attributes: { tag: relation('api::tag.tag') } },
      'api::page.page': { kind: 'singleType', attributes: { block: component('c.block') } },
      'api::other.other': { kind: 'collectionType', attributes: { article: relation('api::article.article') } },
    },
    components: { 'c.block': { attributes: { tags: relation('api::tag.tag') } } },
  });
  expect(relatedContentTypes('api::tag.tag', facts)).toEqual(['api::article.article', 'api::page.page']);
});

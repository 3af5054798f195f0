import { expect, it } from 'vitest';
import { resolveConfig } from '../../../server/src/config/resolve';
import { application, get, problemsOf } from './application';

const story = {
  kind: 'collectionType',
  info: { singularName: 'blog-post', pluralName: 'blog-posts', displayName: 'Story of ours' },
  attributes: {},
};
const { contentTypes, routes } = application();
const facts = application({
  contentTypes: { ...contentTypes, 'api::blog.blog-post': story },
  routes: [
    ...routes,
    get('/api/blog-posts', 'api::blog.blog-post.find', { apiName: 'blog' }),
    get('/api/blog-posts/:id', 'api::blog.blog-post.findOne', { apiName: 'blog' }),
  ],
});

const problemOf = (uid: string): string =>
  problemsOf(() => resolveConfig({ strategy: { contentTypes: [uid] } }, facts)).join();

it.each([
  ['blog-posts', 'api::blog.blog-post'],
  ['BlogPost', 'api::blog.blog-post'],
  ['blog_post', 'api::blog.blog-post'],
  ['Story of ours', 'api::blog.blog-post'],
  ['api::blog-post.blog-post', 'api::blog.blog-post'],
  ['api::articles.articles', 'api::article.article'],
  ['article', 'api::article.article'],
  ['Article', 'api::article.article'],
  ['artcle', 'api::article.article'],
  ['blog-psots', 'api::blog.blog-post'],
  ['/api/blog-posts', 'api::blog.blog-post'],
  ['/blog-posts/abc123', 'api::blog.blog-post'],
  ['https://cms.example.org/api/blog-posts?populate=*', 'api::blog.blog-post'],
  ['plugin::upload.files', 'plugin::upload.file'],
  ['api::article.aritcle', 'api::article.article'],
])('%s: did you mean %s', (written, meant) => {
  expect(problemOf(written)).toContain(`is not a content type of this application; did you mean "${meant}"?`);
});

it.each(['api::page.page', 'api::tag.tag', 'plugin::comments.comment', '/api/nowhere', 'customer'])(
  'suggests nothing for %s, which is near none',
  (written) => {
    expect(problemOf(written)).toMatch(/is not a content type of this application\.$/);
  },
);

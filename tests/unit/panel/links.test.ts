import { expect, it } from 'vitest';
import { addressOf, documentLink, documentRoute } from '../../../admin/src/pages/links';

const UID = 'api::article.article';

it.each([
  ['a1b2', 'a1b2'],
  ['50% off?', '50%25%20off%3F'],
  ['news/2026#1', 'news%2F2026%231'],
])('a document that an import has named %s has a route and a link', (documentId, written) => {
  expect(documentRoute({ uid: UID, documentId })).toBe(`/rest-cache/documents/${UID}/${written}`);
  expect(documentLink(UID, documentId, false)).toBe(`/content-manager/collection-types/${UID}/${written}`);
});

it.each([
  ['https://cms.example.com', 'https://cms.example.com/api/tags?sort=name'],
  // Behind a proxy, Strapi may have a path of its own.
  ['https://example.com/strapi', 'https://example.com/strapi/api/tags?sort=name'],
  ['https://example.com/strapi/', 'https://example.com/strapi/api/tags?sort=name'],
])('the address of an entry of %s is %s', (backendUrl, address) => {
  expect(addressOf('/api/tags?sort=name', backendUrl)).toBe(address);
});

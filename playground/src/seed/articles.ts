import type { Core } from '@strapi/strapi';
import { english } from './english';
import { french } from './french';
import { body, paragraph, sentence, title, type Vocabulary } from './prose';
import { Random } from './random';
import { slug } from './slug';

const uid = 'api::article.article';
const total = 220;
const day = 24 * 60 * 60 * 1000;
const firstIssue = Date.UTC(2023, 0, 2);

export interface Shelf {
  pictures: number[];
  categories: string[];
  authors: string[];
  tags: string[];
}

const isDraft = (index: number) => index % 11 === 10;
const isTranslated = (index: number) => index % 5 === 0 && !isDraft(index);

/** Titles become slugs, so they must be unique. */
const uniqueTitle = (vocabulary: Vocabulary, random: Random, taken: Set<string>): string => {
  const candidate = title(vocabulary, random);
  if (taken.has(candidate)) return uniqueTitle(vocabulary, random, taken);
  taken.add(candidate);
  return candidate;
};

const blocks = (index: number, random: Random, pictures: number[]) => {
  const text = {
    __component: 'shared.rich-text' as const,
    body: paragraph(english, random, 3),
  };
  const quote = {
    __component: 'shared.quote' as const,
    text: sentence(english, random),
    source: random.pick(['A keeper', 'A pilot', 'The harbour log']),
  };
  const picture = {
    __component: 'shared.media' as const,
    file: random.pick(pictures),
    caption: sentence(english, random),
  };
  const gallery = {
    __component: 'shared.gallery' as const,
    title: 'More from the coast',
    images: random.sample(pictures, 3),
  };

  return [
    [text, quote],
    [text, picture],
    [quote, gallery],
    [text, quote, picture, gallery],
  ][index % 4];
};

const englishArticle = (index: number, shelf: Shelf, taken: Set<string>) => {
  const random = new Random(4000 + index);
  const heading = uniqueTitle(english, random, taken);
  const summary = paragraph(english, random, 2);

  return {
    title: heading,
    slug: slug(heading),
    summary,
    body: body(english, random),
    cover: random.pick(shelf.pictures),
    gallery: random.sample(shelf.pictures, random.between(2, 4)),
    blocks: blocks(index, random, shelf.pictures),
    seo: { metaTitle: heading, metaDescription: summary, shareImage: random.pick(shelf.pictures) },
    category: random.pick(shelf.categories),
    author: random.pick(shelf.authors),
    tags: random.sample(shelf.tags, random.between(1, 3)),
    views: random.between(0, 20_000),
    featured: random.next() < 0.1,
    rating: random.between(10, 50) / 10,
    publishedOn: new Date(firstIssue + index * 4 * day).toISOString().slice(0, 10),
  };
};

/** Strapi copies the untranslated fields from the English version, but not the relations: each locale has its own. */
const frenchArticle = (index: number, original: ReturnType<typeof englishArticle>, taken: Set<string>) => {
  const random = new Random(5000 + index);
  const heading = uniqueTitle(french, random, taken);
  const { category, author, tags } = original;
  return { title: heading, slug: slug(heading), body: body(french, random), category, author, tags };
};

/** Returns the document ids of the published articles, in the order of their dates. */
export const seedArticles = async (strapi: Core.Strapi, shelf: Shelf): Promise<string[]> => {
  const englishTitles = new Set<string>();
  const frenchTitles = new Set<string>();
  const published: string[] = [];

  for (let index = 0; index < total; index += 1) {
    const status = isDraft(index) ? 'draft' : 'published';
    const original = englishArticle(index, shelf, englishTitles);
    const { documentId } = await strapi.documents(uid).create({ data: original, status });
    if (status === 'published') published.push(documentId);

    if (isTranslated(index)) {
      // The id is in `data` as well, because without Strapi's generated types TypeScript accepts no other property
      // there.
      const data = { documentId, ...frenchArticle(index, original, frenchTitles) };
      await strapi.documents(uid).update({ documentId, locale: 'fr', data, status });
    }
  }
  return published;
};

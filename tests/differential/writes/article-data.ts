import type { Data } from '../content';
import { AUTHOR, CATEGORY, FILE, TAG, type World } from '../world';

const pictures = async (world: World, count: number): Promise<number[]> =>
  (await world.some(FILE, count, { mime: { $startsWith: 'image/' } })).map(({ id }) => id);

export const blocks = async (world: World): Promise<Data[]> => {
  const { random } = world;
  const [picture, ...gallery] = await pictures(world, 3);
  return random.sample(
    [
      { __component: 'shared.rich-text', body: random.words() },
      { __component: 'shared.quote', text: random.words(), source: 'A keeper' },
      { __component: 'shared.media', file: picture, caption: random.words() },
      { __component: 'shared.gallery', title: random.commonText(), images: gallery },
    ],
    1 + random.below(4),
  );
};

/** The data of a whole new article. */
export const articleData = async (world: World): Promise<Data> => {
  const { random } = world;
  const title = random.commonText();
  const [cover, ...gallery] = await pictures(world, 3);
  const tags = await world.some(TAG, 2, { publishedAt: null });
  return {
    title,
    slug: random.words().toLowerCase().replaceAll(' ', '-'),
    summary: random.commonText(),
    body: random.words(),
    cover,
    gallery,
    blocks: await blocks(world),
    seo: { metaTitle: title, shareImage: cover },
    category: (await world.any(CATEGORY)).documentId,
    author: (await world.any(AUTHOR)).documentId,
    tags: tags.map(({ documentId }) => documentId),
    views: random.commonNumber(),
    featured: random.next() < 0.2,
    rating: (10 + random.below(40)) / 10,
    publishedOn: `2025-0${1 + random.below(9)}-1${random.below(10)}`,
  };
};

/** A change of one or two plain fields. */
export const fieldEdit = ({ random }: World): Data =>
  random.pick<() => Data>([
    () => ({ title: random.commonText() }),
    () => ({ body: random.words() }),
    () => ({ summary: random.commonText() }),
    () => ({ views: random.commonNumber() }),
    () => ({ featured: random.next() < 0.5 }),
    () => ({ rating: (10 + random.below(40)) / 10 }),
    () => ({ publishedOn: `2025-0${1 + random.below(9)}-1${random.below(10)}` }),
    () => ({ slug: random.words().toLowerCase().replaceAll(' ', '-') }),
    () => ({ title: random.commonText(), views: random.commonNumber() }),
  ])();

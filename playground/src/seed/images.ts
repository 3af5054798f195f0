import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Core } from '@strapi/strapi';
import { Random } from './random';
import { portrait, seascape } from './scenery';

export interface Images {
  pictures: number[];
  avatars: number[];
}

interface Image {
  name: string;
  alternativeText: string;
  content: Buffer;
}

// Sizes around the breakpoints at which the upload plugin makes further formats: 245, 500, 750 and 1000 pixels.
const sizes = [
  [1280, 800],
  [1200, 630],
  [1024, 1024],
  [900, 600],
  [800, 500],
  [760, 1000],
  [640, 640],
  [600, 400],
  [520, 300],
  [480, 320],
  [400, 300],
  [240, 150],
] as const;

const upload = async (strapi: Core.Strapi, directory: string, image: Image): Promise<number> => {
  const filepath = path.join(directory, image.name);
  await writeFile(filepath, image.content);

  const [file]: Array<{ id: number }> = await strapi
    .plugin('upload')
    .service('upload')
    .upload({
      data: { fileInfo: { alternativeText: image.alternativeText } },
      files: {
        filepath,
        originalFilename: image.name,
        mimetype: 'image/png',
        size: image.content.length,
      },
    });
  return file.id;
};

export const seedImages = async (strapi: Core.Strapi, authors: number): Promise<Images> => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'playground-images-'));
  const uploadAll = async (images: Image[]) => {
    const ids: number[] = [];
    for (const image of images) ids.push(await upload(strapi, directory, image));
    return ids;
  };

  try {
    return {
      pictures: await uploadAll(
        sizes.map(([width, height], index) => ({
          name: `seascape-${index + 1}.png`,
          alternativeText: `Sunrise over the sea, number ${index + 1}`,
          content: seascape(width, height, new Random(1000 + index)),
        })),
      ),
      avatars: await uploadAll(
        Array.from({ length: authors }, (_, index) => ({
          name: `author-${index + 1}.png`,
          alternativeText: 'Portrait',
          content: portrait(256, new Random(2000 + index)),
        })),
      ),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

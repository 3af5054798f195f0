import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Row } from '../content';
import { FILE, writesTo, type Kind, type World } from '../world';

interface UploadService {
  updateFileInfo(id: number, info: object): Promise<unknown>;
  replace(id: number, parameters: object): Promise<unknown>;
  remove(file: Row): Promise<unknown>;
  upload(parameters: object): Promise<unknown>;
}

const service = (world: World): UploadService => world.strapi.plugin('upload').service<UploadService>('upload');

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const withPicture = async (name: string, use: (file: object) => Promise<unknown>): Promise<unknown> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'differential-'));
  const filepath = path.join(directory, name);
  await writeFile(filepath, PIXEL);
  try {
    return await use({ filepath, originalFilename: name, mimetype: 'image/png', size: PIXEL.length });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const picture = { mime: 'image/png' };

export const mediaWrites: readonly Kind[] = [
  ...writesTo([FILE], {
    'media: alternative text': async (world) => {
      const { id } = await world.any(FILE, picture);
      return service(world).updateFileInfo(id, { alternativeText: `${world.random.words()} number 1` });
    },
    'media: name, by the admin panel': async (world) => {
      const { id } = await world.any(FILE, picture);
      const form = new FormData();
      form.append(
        'fileInfo',
        JSON.stringify({ name: `seascape ${world.random.words()}`, caption: world.random.words() }),
      );
      return world.adminForm(`/upload?id=${id}`, form);
    },
    'media: upload': (world) =>
      withPicture(`seascape-${world.random.below(1e6)}.png`, (file) =>
        service(world).upload({ data: { fileInfo: {} }, files: file }),
      ),
    'media: replace the file': async (world) => {
      const { id } = await world.any(FILE, picture);
      return withPicture('replacement.png', (file) => service(world).replace(id, { data: { fileInfo: {} }, file }));
    },
    'media: delete': async (world) => service(world).remove(await world.any(FILE, picture)),
  }),
];

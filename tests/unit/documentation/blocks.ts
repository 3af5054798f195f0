import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

/** A fenced block of code in the documentation. */
export interface Block {
  /** The page, and the line on which the block begins: `docs/start.md:15`. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/internals'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Every block of the README, of CONTRIBUTING.md and of docs/. */
export const blocks: readonly Block[] = pages.flatMap((page) => {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  return [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length}`,
    language,
    code,
  }));
});

export const blocksIn = (...languages: string[]): readonly Block[] =>
  blocks.filter(({ language }) => languages.includes(language));

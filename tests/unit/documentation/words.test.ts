import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, ROOT } from './blocks';

/** The pages hold prose that people read: it is searched for the patterns that made it hard to read. */

/** Its contract has the word in its types, and says so in its first lines. */
const SAYS_ENTRY = ['docs/custom-providers.md', 'docs/glossary.md'];

const isInside = (page: string): boolean => page.startsWith('docs/internals/');
const isPublic = (page: string): boolean => page.startsWith('docs/') && !isInside(page);

/** The sentences of a page without code, addresses and headings. Each cell of a table counts as a sentence. */
const sentencesOf = (page: string): readonly string[] =>
  readFileSync(path.join(ROOT, page), 'utf8')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/`[^`]*`/g, '`…`')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/^#.*$/gm, '')
    .split(/(?<=[.!?:;])\s+|\s*\|\s*|\n\s*\n|\n\s*(?=[-*] |\d+\. )/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');

const found = (selected: readonly string[], pattern: RegExp): readonly string[] =>
  selected.flatMap((page) =>
    sentencesOf(page)
      .filter((sentence) => pattern.test(sentence))
      .map((sentence) => `${page}: ${sentence}`),
  );

const documentation = pages.filter((page) => page.startsWith('docs/'));
const forUsers = pages.filter(isPublic);

/** Patterns that must not occur, and a sentence that each has to find. */
const PATTERNS: ReadonlyArray<[name: string, pattern: RegExp, example: string]> = [
  ['"told"', /\btold\b/i, 'Targets are told the keys.'],
  ['"heard of", "hears of"', /\bhea(?:r|rs|rd) of\b/i, 'Both releases hear of each other.'],
  ['"taken apart"', /\btak(?:e|es|en) apart\b|\btakes .* apart\b/i, 'It cannot be taken apart.'],
  ['"anew"', /\banew\b/i, 'The cache is asked anew.'],
  ['"left for"', /\bleft for\b/i, 'It is left for later.'],
  [
    'a clause with "what" or "who" as its subject',
    /^(?:[-*] |\d+\. )?(?:\*\*)?(?:what|who|whoever|whatever|whichever)\b(?!.*\?$)/i,
    'What is not named is not cached.',
  ],
  ['"whoever"', /\bwhoever\b/i, 'It is for whoever computes one.'],
  ['"is what", "are what"', /\b(?:is|are|was) (?:what|who)\b/i, 'That is what costs.'],
  ['"first level"', /\bfirst[ -]level\b/i, 'A first level keeps copies.'],
];

describe('the documentation says it without', () => {
  it.each(PATTERNS)('%s', (_, pattern, example) => {
    expect(pattern.test(example)).toBe(true);
    expect(found(documentation, pattern)).toEqual([]);
  });

  it('"entry" for a cached response', () => {
    const selected = forUsers.filter((page) => !SAYS_ENTRY.includes(page));
    expect(found(selected, /\bentr(?:y|ies)\b/i)).toEqual([]);
    expect(found(['docs/glossary.md'], /\bentry\b/i)).not.toEqual([]);
  });

  it('"lane" for the place where hits are answered', () => {
    expect(found(forUsers, /\blanes?\b/i)).toEqual([]);
    expect(found(['docs/internals/lanes.md'], /\blanes?\b/i)).not.toEqual([]);
  });
});

describe('the guides', () => {
  const config = readFileSync(path.join(ROOT, 'docs/.vitepress/config.mjs'), 'utf8');
  const [, items = ''] = /text: 'Guides',\s*items: \[([^\]]*)\]/.exec(config) ?? [];
  const guides = [...items.matchAll(/link: '\/([\w-]+)'/g)].map(([, page = '']) => `docs/${page}.md`);

  it('are twelve, and short enough to be read', () => {
    expect(guides).toHaveLength(12);
    const words = guides.flatMap((page) => readFileSync(path.join(ROOT, page), 'utf8').split(/\s+/));
    expect(words.length).toBeLessThanOrEqual(9_000);
  });

  it('say once that memory is for one process', () => {
    const sentence = /memory (?:provider|store) is for one process/i;
    const saying = forUsers.filter((page) => sentence.test(readFileSync(path.join(ROOT, page), 'utf8')));
    expect(saying).toEqual(['docs/redis.md']);
  });
});

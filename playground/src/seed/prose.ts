import type { Random } from './random';

/** The vocabulary of a language: patterns with {slots}, and the words that may fill each slot. */
export interface Vocabulary {
  titles: readonly string[];
  headings: readonly string[];
  sentences: readonly string[];
  words: Readonly<Record<string, readonly string[]>>;
}

const fill = (pattern: string, vocabulary: Vocabulary, random: Random) =>
  pattern.replace(/\{(\w+)\}/g, (_slot, name: string) => random.pick(vocabulary.words[name]));

export const title = (vocabulary: Vocabulary, random: Random) =>
  fill(random.pick(vocabulary.titles), vocabulary, random);

export const sentence = (vocabulary: Vocabulary, random: Random) =>
  fill(random.pick(vocabulary.sentences), vocabulary, random);

export const paragraph = (vocabulary: Vocabulary, random: Random, length = 5) =>
  random
    .sample(vocabulary.sentences, length)
    .map((pattern) => fill(pattern, vocabulary, random))
    .join(' ');

/** Markdown of about two kilobytes. */
export const body = (vocabulary: Vocabulary, random: Random) => {
  const headings = random.sample(vocabulary.headings, 2);
  return [
    paragraph(vocabulary, random),
    ...headings.flatMap((heading) => [`## ${heading}`, paragraph(vocabulary, random), paragraph(vocabulary, random)]),
  ].join('\n\n');
};

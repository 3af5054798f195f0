import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from './arguments-of';

const read = (language: string): Record<string, string> =>
  JSON.parse(
    readFileSync(new URL(`../../../admin/src/translations/${language}.json`, import.meta.url), 'utf8'),
  ) as Record<string, string>;

const english = read('en');

describe.each(['fr', 'de', 'es'])('the %s texts', (language) => {
  const texts = read(language);

  it('are the same as the English ones, in the same order', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english));
  });

  it('show the same values', () => {
    for (const [id, text] of Object.entries(texts)) {
      expect([id, argumentsOf(text, language)]).toEqual([id, argumentsOf(english[id] ?? '', 'en')]);
    }
  });

  it('are translated', () => {
    const same = Object.keys(texts).filter((id) => texts[id] === english[id] && /\w+ \w+ \w+/.test(english[id] ?? ''));
    expect(same).toEqual([]);
  });
});

/** Texts about documents, which Strapi calls entries. */
const OF_DOCUMENTS = /^(documents?|panel|activity)\./;

const found = (language: string, pattern: RegExp): string[] =>
  Object.entries({ ...read(language), ...(language === 'en' ? {} : read(`sentences.${language}`)) })
    .filter(([id, text]) => !OF_DOCUMENTS.test(id) && pattern.test(text))
    .map(([id]) => id);

it.each([
  ['en', /\bentr(y|ies)\b|\blanes?\b|fastest|\banew\b/i],
  ['de', /Eintr(a|ä)g|\bSpur|throws|am schnellsten|Treffer|umgangen/i],
  ['fr', /\bentrées?\b|\bvoie\b|throws|handler|le plus rapide|[Ss]uccès|[Dd]evant Strapi/],
  ['es', /\bentradas?\b|\bcarril\b|throws|handler|lo más rápido|quien pide|omit|delante de Strapi/i],
] as const)('the %s texts have one word for a cached response, a hit, a bypass and a caller', (language, pattern) => {
  expect(found(language, pattern)).toEqual([]);
});

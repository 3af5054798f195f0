import { expect, it } from 'vitest';
import { identityWords } from '../../../admin/src/components/identity-words';
import english from '../../../admin/src/translations/en.json';

const words = (id: keyof typeof english, values: Readonly<Record<string, unknown>> = {}): string =>
  english[id].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

it.each([
  ['', null, 'Everybody'],
  ['up:public', null, 'Public (no credentials)'],
  ['up:7', 'alice', 'User alice'],
  ['token:3:read-only', null, 'API token 3'],
  ['strategy:single:sign-on', null, 'Callers authenticated by single:sign-on'],
  ['unknown', null, 'A caller without an identity of their own'],
])('the caller %s, called %s, in words', (identity, name, expected) => {
  expect(identityWords(identity, name, words)).toBe(expected);
});

import type english from './en.json';

/** The key of any text. */
export type Words = keyof typeof english;

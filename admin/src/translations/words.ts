import type english from './en.json';

/** Every text there is. */
export type Words = keyof typeof english;

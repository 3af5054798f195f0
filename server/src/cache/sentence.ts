/** What a sentence names: a word of a program, a number, or a part that is in English itself. Lists have commas. */
export type Named = string | number | Sentence | readonly Named[];

/**
 * A text in English, for the log and for other programs, with what it was made of. From the code and the values, in the
 * order of the English text, the admin panel makes the same sentence in its own language.
 */
export class Sentence<Code extends string = string> {
  constructor(
    readonly code: Code,
    readonly values: readonly Named[],
    readonly text: string,
  ) {}
}

const textOf = (name: Named): string =>
  name instanceof Sentence ? name.text : typeof name === 'object' ? name.map(textOf).join(', ') : String(name);

/**
 * Makes a sentence of a template, which has a code of its own, and may have line breaks in the place of spaces:
 * `said('one-route')`only ${path} is cached``.
 */
export const said =
  <const Code extends string>(code: Code) =>
  (parts: TemplateStringsArray, ...values: readonly Named[]): Sentence<Code> => {
    const raw = parts.map((part) => part.replace(/\n\s*/g, ' '));
    return new Sentence(code, values, String.raw({ raw }, ...values.map(textOf)));
  };

/** A name alone, which is the same in every language. */
export const named = (name: Named): Sentence => said('named')`${name}`;

/** The sentence that consists of two. */
export const both = (first: Sentence, second: Sentence): Sentence => said('both')`${first} ${second}`;

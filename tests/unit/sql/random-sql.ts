import fc from 'fast-check';

/** Text of SQL, with the values that it binds in their order. */
export class Sql {
  constructor(
    readonly text: string,
    readonly bindings: readonly unknown[],
  ) {}
}

/** A text stands for itself, a list for one of its texts. Random SQL is put in as it is, any other random value is bound. */
type Part = string | readonly string[] | fc.Arbitrary<unknown>;

const random = (part: Part): fc.Arbitrary<unknown> => {
  if (typeof part === 'string') return fc.constant(new Sql(part, []));
  return part instanceof fc.Arbitrary ? part : fc.constantFrom(...part).map((text) => new Sql(text, []));
};

/** Random SQL of one form: `` sql`views ${['=', '>']} ${fc.nat(2)}` ``. The end of a line counts as a space. */
export const sql = (texts: TemplateStringsArray, ...parts: readonly Part[]): fc.Arbitrary<Sql> =>
  fc.tuple(...parts.map(random)).map((values) => {
    const pieces = values.map((value) => (value instanceof Sql ? value : new Sql('?', [value])));
    return new Sql(
      texts.map((text, index) => text.replaceAll(/\n\s*/g, ' ') + (pieces[index]?.text ?? '')).join(''),
      pieces.flatMap(({ bindings }) => bindings),
    );
  });

/** One to three conditions that all have to hold. */
export const conjunction = (condition: fc.Arbitrary<Sql>): fc.Arbitrary<Sql> =>
  fc.array(condition, { minLength: 1, maxLength: 3 }).map(
    (all) =>
      new Sql(
        all.map(({ text }) => text).join(' and '),
        all.flatMap(({ bindings }) => bindings),
      ),
  );

/** Whether the whole has an order, and not only a query within it. */
export const isOrdered = ({ text }: Sql): boolean => / order by [^)]*$/.test(text);

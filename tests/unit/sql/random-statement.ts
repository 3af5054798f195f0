import fc from 'fast-check';

/**
 * A statement as a list of words, so that a test can put anything between them, with the tables that it really reads
 * and writes.
 */
export interface RandomStatement {
  readonly words: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

type Fragment = Omit<RandomStatement, 'writes'>;

/** Every table of the random statements has these columns. */
export const COLUMNS = ['id', 'title', 'views'];
export const TABLES = ['articles', 'authors', 'tags', 'teams', 'links', 'order', 'select', 'two words', 'a'];
const BARE = new Set(['articles', 'authors', 'tags', 'teams', 'links', 'a']);

const wordsOf = (text: string): Fragment => ({ words: text.split(/\s+/).filter((word) => word !== ''), reads: [] });
const joined = (parts: readonly Fragment[]): Fragment => ({
  words: parts.flatMap(({ words }) => words),
  reads: parts.flatMap(({ reads }) => reads),
});

/** A list stands for one of its texts. */
const arbitraryOf = (part: readonly string[] | fc.Arbitrary<Fragment>): fc.Arbitrary<Fragment> =>
  part instanceof fc.Arbitrary ? part : fc.constantFrom(...part).map(wordsOf);

/** Random words of one form, which are separated by spaces. */
const fragment = (
  texts: TemplateStringsArray,
  ...parts: ReadonlyArray<readonly string[] | fc.Arbitrary<Fragment>>
): fc.Arbitrary<Fragment> =>
  fc
    .tuple(...parts.map(arbitraryOf))
    .map((made) => joined(texts.flatMap((text, index) => [wordsOf(text), made[index] ?? wordsOf('')])));

/** One of these words, which may hold spaces. */
const oneOf = (words: readonly string[]): fc.Arbitrary<Fragment> =>
  fc.constantFrom(...words).map((word) => ({ words: [word], reads: [] }));

interface Words {
  readonly columns?: readonly string[];
  readonly literals?: readonly string[];
}

/** Random statements in one dialect: `quotes` go around names, and the other words are used in expressions. */
export const randomStatements = (
  quotes: string,
  {
    columns = [...COLUMNS, 'x.id', 'y.title'],
    literals = ['1', "'from authors'", "'it''s'", 'null', '-1.5'],
  }: Words = {},
) => {
  const quoted = (name: string): string => `${quotes[0]}${name}${quotes.at(-1)}`;
  const alias = ['x', 'y', 'z', 'tags', 'offset_'];
  const tableName: fc.Arbitrary<Fragment> = fc
    .tuple(fc.constantFrom(...TABLES), fc.constantFrom('quoted', 'bare', 'upper'))
    .map(([table, how]) => {
      if (how === 'quoted' || !BARE.has(table)) return { words: [quoted(table)], reads: [table] };
      return { words: [how === 'upper' ? table.toUpperCase() : table], reads: [table] };
    });

  const value = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> => {
    const simple = fc.oneof(oneOf(columns), oneOf(literals));
    if (depth === 0) return simple;
    const inner = value(depth - 1, ctes);
    return fc.oneof(
      { weight: 4, arbitrary: simple },
      fragment`coalesce ( ${inner} , 1 )`,
      fragment`case when ${inner} > 1 then 1 else 2 end`,
      fragment`cast ( ${inner} as integer )`,
      { weight: 2, arbitrary: fragment`( ${query(depth - 1, ctes, 1)} )` },
    );
  };

  const condition = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> => {
    const operand = value(depth, ctes);
    const comparison = fc.oneof(
      { weight: 3, arbitrary: fragment`${operand} ${['=', '<>', '>']} ${oneOf(literals)}` },
      { weight: 2, arbitrary: fragment`${operand} ${['is null', 'is not null']}` },
    );
    if (depth === 0) return comparison;
    const nested = query(depth - 1, ctes, 1);
    const simpler = condition(depth - 1, ctes);
    return fc.oneof(
      comparison,
      fragment`${operand} in ( ${nested} )`,
      fragment`not exists ( ${nested} )`,
      fragment`( ${simpler} ${['and', 'or']} ${simpler} )`,
    );
  };

  const reference = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> => {
    const named = fc.oneof(
      { weight: 5, arbitrary: fragment`${tableName} ${['', 'as']} ${alias}` },
      { weight: 1, arbitrary: tableName },
    );
    const common = ctes.length === 0 ? [] : [oneOf(ctes)];
    if (depth === 0) return fc.oneof(named, ...common);
    return fc.oneof(
      { weight: 3, arbitrary: named },
      ...common.map((arbitrary) => ({ weight: 2, arbitrary })),
      fragment`( ${query(depth - 1, ctes, 3)} ) as ${alias}`,
      fragment`( ${from(depth - 1, ctes)} )`,
    );
  };

  const from = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> => {
    const source = reference(depth, ctes);
    const on = condition(Math.max(0, depth - 1), ctes);
    const other = fc.oneof(
      {
        weight: 4,
        arbitrary: fragment`${['join', 'inner join', 'left join', 'left outer join']} ${source} on ${on}`,
      },
      { weight: 3, arbitrary: fragment`${[',', 'cross join', 'natural join']} ${source}` },
    );
    return fragment`${source} ${fc.array(other, { maxLength: 2 }).map(joined)}`;
  };

  const select = (depth: number, ctes: readonly string[], width: number): fc.Arbitrary<Fragment> => {
    const list = fc
      .array(value(depth, ctes), { minLength: width, maxLength: width })
      .map((items) =>
        joined(
          items.flatMap((item, index) => [
            wordsOf(index === 0 ? '' : ','),
            item,
            wordsOf(`as ${COLUMNS[index] ?? 'more'}`),
          ]),
        ),
      );
    const where = fc.oneof(fragment``, { weight: 5, arbitrary: fragment`where ${condition(depth, ctes)}` });
    return fragment`${['select', 'select distinct']} ${list} from ${from(depth, ctes)} ${where}
      ${['', 'group by 1', 'order by id desc limit 3', 'order by 1', 'limit 1']}`;
  };

  function query(depth: number, ctes: readonly string[], width: number): fc.Arbitrary<Fragment> {
    const plain = select(depth, ctes, width);
    if (depth === 0) return plain;
    const name = `cte${ctes.length}`;
    const half = select(depth - 1, ctes, width).map(withoutPage);
    return fc.oneof(
      { weight: 3, arbitrary: plain },
      fragment`${half} ${['union', 'union all']} ${half}`,
      fragment`with ${[name]} as ( ${query(depth - 1, ctes, 3)} ) ${select(depth - 1, [...ctes, name], width)}`,
    );
  }

  const read: fc.Arbitrary<RandomStatement> = query(2, [], 2).map((made) => ({ ...made, writes: [] }));

  const writing = (form: (target: fc.Arbitrary<Fragment>) => fc.Arbitrary<Fragment>): fc.Arbitrary<RandomStatement> =>
    tableName.chain((target) =>
      form(fc.constant(target)).map(({ words, reads }) => ({
        words,
        // The target is the first table of the text.
        reads: reads.slice(target.reads.length),
        writes: target.reads,
      })),
    );
  const assigned = value(1, []);
  const write: fc.Arbitrary<RandomStatement> = fc.oneof(
    writing((target) => fragment`insert into ${target} ( title , views ) ${query(1, [], 2)}`),
    writing((target) => fragment`update ${target} set title = ${assigned} , views = 2 where ${condition(2, [])}`),
    writing((target) => fragment`delete from ${target} where ${condition(2, [])}`),
    writing((target) => fragment`insert into ${target} ( title ) values ( ${assigned} ) , ( 2 )`),
  );

  /** Writes in common table expressions, in front of a read or another write, of any table, also the same one. */
  const writesWithin: fc.Arbitrary<RandomStatement> = fc
    .tuple(
      fc.array(fc.tuple(write, fc.constantFrom('returning *', 'returning id', '')), { minLength: 1, maxLength: 2 }),
      fc.oneof(
        { weight: 3, arbitrary: write },
        read.filter(({ words }) => words[0] === 'select'),
      ),
    )
    .map(([within, main]) => {
      const parts = [...within.map(([statement]) => statement), main];
      const commonTables = within.flatMap(([{ words }, returning], index) => [
        ...wordsOf(`${index === 0 ? 'with' : ','} written${index} as (`).words,
        ...words,
        ...wordsOf(`${returning} )`).words,
      ]);
      return {
        words: [...commonTables, ...main.words],
        reads: parts.flatMap(({ reads }) => reads),
        writes: parts.flatMap(({ writes }) => writes),
      };
    });

  return { read, write, writesWithin };
};

/** Removes ORDER BY and LIMIT, which belong to a whole union and not to its halves. */
const withoutPage = ({ words, reads }: Fragment): Fragment => {
  const end = words.findIndex((word, index) => /^(limit|order)$/.test(word) && depthAt(words, index) === 0);
  return { words: end === -1 ? words : words.slice(0, end), reads };
};

const depthAt = (words: readonly string[], index: number): number =>
  words.slice(0, index).reduce((depth, word) => (word === '(' ? depth + 1 : word === ')' ? depth - 1 : depth), 0);

/** Joins the words with spaces and comments. */
export const spelled = (words: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(' ', ' ', ' ', '\n', '\t', ' /* from secrets */ ', ' -- from secrets\n'), {
      minLength: words.length,
      maxLength: words.length,
    })
    .map((gaps) => words.map((word, index) => (index === 0 ? word : `${gaps[index]}${word}`)).join(''));

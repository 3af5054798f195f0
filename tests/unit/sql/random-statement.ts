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

const fragment = (words: readonly string[], reads: readonly string[] = []): Fragment => ({ words, reads });
const joined = (...parts: ReadonlyArray<Fragment | string>): Fragment =>
  fragment(
    parts.flatMap((part) => (typeof part === 'string' ? part.split(' ') : part.words)),
    parts.flatMap((part) => (typeof part === 'string' ? [] : part.reads)),
  );
const listed = (parts: readonly Fragment[]): Fragment =>
  joined(...parts.flatMap((part, index) => (index === 0 ? [part] : [',', part])));

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
  const alias = fc.constantFrom('x', 'y', 'z', 'tags', 'offset_');
  const quoted = (name: string): string => `${quotes[0]}${name}${quotes.at(-1)}`;
  const tableName: fc.Arbitrary<Fragment> = fc
    .tuple(fc.constantFrom(...TABLES), fc.constantFrom('quoted', 'bare', 'upper'))
    .map(([table, how]) => {
      if (how === 'quoted' || !BARE.has(table)) return fragment([quoted(table)], [table]);
      return fragment([how === 'upper' ? table.toUpperCase() : table], [table]);
    });

  const column = fc.constantFrom(...columns);
  const literal = fc.constantFrom(...literals);
  const value = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> => {
    const simple = fc.oneof(column, literal).map((word) => fragment([word]));
    if (depth === 0) return simple;
    return fc.oneof(
      { weight: 4, arbitrary: simple },
      { weight: 1, arbitrary: value(depth - 1, ctes).map((inner) => joined('coalesce ( ', inner, ', 1 )')) },
      {
        weight: 1,
        arbitrary: value(depth - 1, ctes).map((inner) => joined('case when', inner, '> 1 then 1 else 2 end')),
      },
      { weight: 1, arbitrary: value(depth - 1, ctes).map((inner) => joined('cast (', inner, 'as integer )')) },
      { weight: 2, arbitrary: query(depth - 1, ctes, 1).map((inner) => joined('(', inner, ')')) },
    );
  };

  const condition = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> => {
    const operand = value(depth, ctes);
    const comparison = fc
      .tuple(operand, fc.constantFrom('=', '<>', '>', 'is', 'is not'), literal)
      .map(([left, operator, right]) => joined(left, operator, operator.startsWith('is') ? 'null' : right));
    if (depth === 0) return comparison;
    const nested = query(depth - 1, ctes, 1);
    return fc.oneof(
      comparison,
      fc.tuple(operand, nested).map(([left, inner]) => joined(left, 'in (', inner, ')')),
      nested.map((inner) => joined('not exists (', inner, ')')),
      fc
        .tuple(condition(depth - 1, ctes), fc.constantFrom('and', 'or'), condition(depth - 1, ctes))
        .map(([left, word, right]) => joined('(', left, word, right, ')')),
    );
  };

  const reference = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> => {
    const named = fc
      .tuple(tableName, fc.constantFrom('', 'as'), fc.option(alias, { nil: undefined }))
      .map(([table, as, name]) => (name === undefined ? table : joined(table, ...(as === '' ? [] : [as]), name)));
    const common = ctes.length === 0 ? [] : [fc.constantFrom(...ctes).map((name) => fragment([name]))];
    if (depth === 0) return fc.oneof(named, ...common);
    return fc.oneof(
      { weight: 3, arbitrary: named },
      ...common.map((arbitrary) => ({ weight: 2, arbitrary })),
      {
        weight: 1,
        arbitrary: fc.tuple(query(depth - 1, ctes, 3), alias).map(([inner, name]) => joined('(', inner, ') as', name)),
      },
      { weight: 1, arbitrary: from(depth - 1, ctes).map((inner) => joined('(', inner, ')')) },
    );
  };

  const from = (depth: number, ctes: readonly string[]): fc.Arbitrary<Fragment> =>
    fc
      .tuple(
        reference(depth, ctes),
        fc.array(
          fc.tuple(
            fc.constantFrom(',', 'join', 'inner join', 'left join', 'left outer join', 'cross join', 'natural join'),
            reference(depth, ctes),
            condition(Math.max(0, depth - 1), ctes),
          ),
          { maxLength: 2 },
        ),
      )
      .map(([first, others]) =>
        joined(
          first,
          ...others.flatMap(([word, other, on]) =>
            /^(,|cross join|natural join)$/.test(word) ? [word, other] : [word, other, 'on', on],
          ),
        ),
      );

  const select = (depth: number, ctes: readonly string[], columns: number): fc.Arbitrary<Fragment> =>
    fc
      .tuple(
        fc.constantFrom('select', 'select distinct'),
        fc.array(value(depth, ctes), { minLength: columns, maxLength: columns }),
        from(depth, ctes),
        fc.option(condition(depth, ctes), { nil: undefined }),
        fc.constantFrom('', 'group by 1', 'order by id desc limit 3', 'order by 1', 'limit 1'),
      )
      .map(([word, list, tables, where, rest]) =>
        joined(
          word,
          listed(list.map((item, index) => joined(item, 'as', COLUMNS[index] ?? 'more'))),
          'from',
          tables,
          ...(where === undefined ? [] : ['where', where]),
          ...(rest === '' ? [] : [rest]),
        ),
      );

  function query(depth: number, ctes: readonly string[], columns: number): fc.Arbitrary<Fragment> {
    const plain = select(depth, ctes, columns);
    if (depth === 0) return plain;
    const name = `cte${ctes.length}`;
    return fc.oneof(
      { weight: 3, arbitrary: plain },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            select(depth - 1, ctes, columns),
            fc.constantFrom('union', 'union all'),
            select(depth - 1, ctes, columns),
          )
          .map(([left, word, right]) => joined(withoutPage(left), word, withoutPage(right))),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(query(depth - 1, ctes, 3), select(depth - 1, [...ctes, name], columns))
          .map(([body, main]) => joined('with', name, 'as (', body, ')', main)),
      },
    );
  }

  const read: fc.Arbitrary<RandomStatement> = query(2, [], 2).map(({ words, reads }) => ({ words, reads, writes: [] }));

  const written = (target: Fragment, statement: Fragment): RandomStatement => ({
    words: statement.words,
    // The target is the first table of the text.
    reads: statement.reads.slice(target.reads.length),
    writes: target.reads,
  });
  const write: fc.Arbitrary<RandomStatement> = fc.oneof(
    fc
      .tuple(tableName, query(1, [], 2))
      .map(([target, source]) => written(target, joined('insert into', target, '( title , views )', source))),
    fc
      .tuple(tableName, value(1, []), condition(2, []))
      .map(([target, assigned, where]) =>
        written(target, joined('update', target, 'set title =', assigned, ', views = 2 where', where)),
      ),
    fc
      .tuple(tableName, condition(2, []))
      .map(([target, where]) => written(target, joined('delete from', target, 'where', where))),
    fc
      .tuple(tableName, value(1, []))
      .map(([target, assigned]) =>
        written(target, joined('insert into', target, '( title ) values (', assigned, ') , ( 2 )')),
      ),
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
    .map(([within, main]) => ({
      words: [
        'with',
        ...within.flatMap(([{ words }, returning], index) => [
          ...(index === 0 ? [] : [',']),
          `written${index}`,
          'as',
          '(',
          ...words,
          ...(returning === '' ? [] : returning.split(' ')),
          ')',
        ]),
        ...main.words,
      ],
      reads: [...within.flatMap(([{ reads }]) => reads), ...main.reads],
      writes: [...within.flatMap(([{ writes }]) => writes), ...main.writes],
    }));

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

import type { Operand, PlainRead, Source, Statement } from '../../../server/src/sql/statement';

const operand = (value: Operand | undefined): string => {
  if (value === undefined) return '…';
  return 'binding' in value ? `?${value.binding}` : JSON.stringify(value.literal);
};

const assignments = (record: Readonly<Record<string, Operand | undefined>>): string =>
  Object.entries(record)
    .map(([column, value]) => `${column}=${operand(value)}`)
    .join(',');

const source = ({
  table,
  alias,
  optional,
  keys,
  isNull,
  isNotNull,
  filters,
  sort,
  output,
  idProperty,
}: Source): string => {
  // Mostly everything is shown, with the id under its own name, so only what is otherwise is said.
  const isWhole = output === 'all' && idProperty === 'id';
  const more = [
    ...keys.map(({ column, values }) => `${column}=${values.map(operand).join('|')}`),
    ...isNull.map((column) => `${column}=null`),
    ...isNotNull.map((column) => `${column}!=null`),
    ...(filters.length > 0 ? [`by ${filters.join(',')}`] : []),
    ...(sort.length > 0 ? [`sorted ${sort.join(',')}`] : []),
    ...(isWhole ? [] : [`shows ${output === 'all' ? '*' : output.length > 0 ? output.join(',') : 'nothing'}`]),
    ...(isWhole || idProperty === undefined ? [] : [`id:${idProperty}`]),
  ];
  const name = `${table}${alias === table ? '' : ` ${alias}`}${optional ? '?' : ''}`;
  return more.length === 0 ? name : `${name}: ${more.join(' ')}`;
};

const plain = ({ sources, joins, limited, aggregated }: PlainRead): string =>
  [
    sources.length === 0 ? 'nothing' : sources.map(source).join(' + '),
    ...joins.map((pair) => `[${pair.map(({ alias, column }) => `${alias}.${column}`).join(' = ')}]`),
    ...(limited ? ['limited'] : []),
    ...(aggregated ? ['aggregated'] : []),
  ].join(' ');

/** A whole analysis in one line, so that a table of statements is readable. */
export const inWords = (statement: Statement): string => {
  switch (statement.kind) {
    case 'read':
      if (statement.shape === 'opaque') return ['opaque', ...[...statement.tables].sort()].join(' ');
      return statement.sources.length === 0 ? '' : plain(statement);
    case 'calling':
      return [
        ...(statement.functions.length > 0 ? [`calls ${statement.functions.join(' ')}`] : []),
        ...(statement.outside === undefined ? [] : [`shows ${statement.outside}`]),
        inWords(statement.main),
      ].join(', ');
    case 'write': {
      const { verb, table } = statement;
      const rest = [
        ...(statement.reads.length > 0 ? [`reads ${[...statement.reads].sort().join(' ')}`] : []),
        ...(statement.returning === undefined ? [] : ['returning']),
      ];
      if (verb === 'opaque') return ['writes', ...statement.tables, ...rest].join(' ');
      if (verb === 'insert') {
        const rows = statement.rows?.map((row) => `(${assignments(row)})`).join(' ') ?? 'rows unknown';
        return ['insert', table, rows, ...(statement.conflict === undefined ? [] : [statement.conflict]), ...rest].join(
          ' ',
        );
      }
      const { condition } = statement;
      const switches = condition?.switches.map((binding) => ` unless ?${binding} is 0`) ?? [];
      const where =
        condition === undefined
          ? 'anywhere'
          : `from <${condition.from}> [${condition.bindings.join(',')}]${switches.join('')}`;
      if (verb === 'delete') return ['delete', table, where, ...rest].join(' ');
      return ['update', table, assignments(statement.set), where, ...rest].join(' ');
    }
    case 'savepoint':
    case 'release':
    case 'rollback-to':
      return `${statement.kind} ${statement.name}`;
    default:
      return statement.kind;
  }
};

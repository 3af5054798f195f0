import { purityOf } from './pure-functions';
import type { Statement } from './statement';
import { Survey } from './survey';
import {
  endOfName,
  isIdentifier,
  isOneOf,
  isKeyword,
  isOperator,
  itemsOf,
  tokenAt,
  type Tokens,
  setOf,
} from './tokens';

const NEUTRAL: Statement = { kind: 'neutral' };
const UNKNOWN: Statement = { kind: 'unknown' };

/** Settings and notifications: no row is touched. */
const NEUTRAL_VERBS = setOf('discard listen unlisten notify deallocate help checkpoint use');

/**
 * Keywords that may follow BEGIN or START TRANSACTION. MariaDB's BEGIN NOT ATOMIC starts a block of statements instead.
 */
const BEGIN_KEYWORDS = setOf(
  `transaction tran work deferred immediate exclusive isolation level serializable repeatable read committed uncommitted
   only write not deferrable with consistent snapshot concurrent`,
);

const TRANSACTION = setOf('work transaction tran');

const onlyWords = (tokens: Tokens, from: number, to: number, allowed: ReadonlySet<string>): boolean => {
  for (let i = from; i < to; i += 1) {
    const { kind, text } = tokenAt(tokens, i);
    if (kind !== 'comma' && !(kind === 'word' && allowed.has(text))) return false;
  }
  return true;
};

/** The name at `i`, in lower case, if it is the last token of the statement. */
const lastName = (tokens: Tokens, i: number, to: number): string | undefined => {
  const token = tokenAt(tokens, i);
  return i === to - 1 && (isIdentifier(token) || token.kind === 'string') ? token.text.toLowerCase() : undefined;
};

/**
 * Understands `commit` or `rollback work` and nothing longer: what follows may begin another transaction, disconnect,
 * or end another transaction than this one.
 */
const endOfTransaction = (tokens: Tokens, from: number, to: number, end: Statement): Statement =>
  to === (isOneOf(tokens, from, TRANSACTION) ? from + 1 : from) ? end : UNKNOWN;

/**
 * Keywords after SET that do more than change a setting: MySQL commits when accounts are changed, and MariaDB's
 * SET STATEMENT … FOR runs any statement.
 */
const MORE_THAN_SETTINGS = setOf('password default statement');

/** MySQL commits when autocommit is switched on, and may be told to begin a transaction with each commit. */
const OF_TRANSACTIONS = /autocommit|completion_type/i;

/** A statement that touches no row, and shows what is in no table: it may change without a write. */
export const showing = (outside: string): Statement => ({
  kind: 'calling',
  functions: [],
  outside,
  main: { kind: 'read', shape: 'opaque', tables: [] },
});

/**
 * A SET whose brackets may hold queries and calls of functions. The variables that it fills are in no table: whoever
 * reads one reads something `outside`. Settings take no function that may do more than calculate.
 */
const analyseSet = (tokens: Tokens, from: number, to: number): Statement => {
  if (isOneOf(tokens, from, MORE_THAN_SETTINGS) || OF_TRANSACTIONS.test(tokens.sql)) return UNKNOWN;
  // In PostgreSQL, the transaction then reads what was committed at an earlier time.
  if (isKeyword(tokens, from, 'transaction') && isKeyword(tokens, from + 1, 'snapshot'))
    return showing('the snapshot of another transaction');
  if (!tokens.list.some(({ kind }) => kind === 'open')) return NEUTRAL;
  const { isUnknown, uncertain, writingStatements, functions, reads } = new Survey(tokens, from, to);
  if (tokens.dialect !== 'mysql' || isUnknown || uncertain || writingStatements > 0) return UNKNOWN;
  const main = { kind: 'read', shape: 'opaque', tables: [...reads] } as const;
  if (functions.size === 0) return reads.size === 0 ? NEUTRAL : main;
  const fillsVariables = itemsOf(tokens, from, to).every(([first]) => /^@(?!@)/.test(tokenAt(tokens, first).text));
  return fillsVariables ? { kind: 'calling', functions: [...functions], outside: undefined, main } : UNKNOWN;
};

/** Analyses transaction control and statements that concern the session alone; `undefined` for every other verb. */
export const analyseSession = (tokens: Tokens, from: number, to: number): Statement | undefined => {
  const verb = tokenAt(tokens, from).text;
  switch (verb) {
    case 'begin':
      if (isKeyword(tokens, from + 1, 'not') || !onlyWords(tokens, from + 1, to, BEGIN_KEYWORDS)) return UNKNOWN;
      return { kind: 'begin' };
    case 'start':
      return isKeyword(tokens, from + 1, 'transaction') && onlyWords(tokens, from + 2, to, BEGIN_KEYWORDS)
        ? { kind: 'begin' }
        : UNKNOWN;
    case 'commit':
    case 'end':
      return endOfTransaction(tokens, from + 1, to, { kind: 'commit' });
    case 'rollback': {
      let i = isOneOf(tokens, from + 1, TRANSACTION) ? from + 2 : from + 1;
      if (!isKeyword(tokens, i, 'to')) return endOfTransaction(tokens, from + 1, to, { kind: 'rollback' });
      i += isKeyword(tokens, i + 1, 'savepoint') && i + 2 < to ? 2 : 1;
      const name = lastName(tokens, i, to);
      return name === undefined ? UNKNOWN : { kind: 'rollback-to', name };
    }
    case 'savepoint':
    case 'release': {
      const hasWord = verb === 'release' && isKeyword(tokens, from + 1, 'savepoint') && from + 2 < to;
      const name = lastName(tokens, from + (hasWord ? 2 : 1), to);
      return name === undefined ? UNKNOWN : { kind: verb, name };
    }
    case 'set':
      return analyseSet(tokens, from + 1, to);
    case 'show':
      return showing('what SHOW says of the server');
    case 'pragma': {
      // `pragma main.table_info(articles)`
      const name = endOfName(tokens, from + 1);
      const isPure = purityOf(`pragma_${tokenAt(tokens, name).text.toLowerCase()}`) === 'pure';
      return isPure || isOperator(tokens, name + 1, '=') ? NEUTRAL : showing('a pragma');
    }
    case 'lock':
      // LOCK TABLES commits in MySQL; PostgreSQL's LOCK TABLE just waits.
      return tokens.dialect === 'postgres' ? NEUTRAL : UNKNOWN;
    default:
      return NEUTRAL_VERBS.has(verb) ? NEUTRAL : undefined;
  }
};

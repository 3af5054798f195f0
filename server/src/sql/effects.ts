import { tablesWritten, type Statement } from './statement';

/** What several statements do together. */
export interface Effects {
  readonly read: readonly string[];
  readonly written: readonly string[];
  readonly controlsTransaction: boolean;
}

/** Sums up what statements do; `undefined` if one of them may do anything. */
export const effectsOf = (statements: readonly Statement[]): Effects | undefined => {
  const read: string[] = [];
  const written: string[] = [];
  let controlsTransaction = false;
  for (const statement of statements) {
    switch (statement.kind) {
      case 'unknown':
      case 'batch':
      case 'calling':
        return undefined;
      case 'neutral':
        break;
      case 'read':
        read.push(...statement.tables);
        break;
      case 'write':
        written.push(...tablesWritten(statement));
        read.push(...statement.reads);
        if (statement.verb === 'opaque' && statement.commits) controlsTransaction = true;
        break;
      default:
        controlsTransaction = true;
    }
  }
  return { read, written, controlsTransaction };
};

/** Whether a statement writes nothing, calls nothing and controls nothing. */
export const isHarmless = ({ kind }: Statement): boolean => kind === 'read' || kind === 'neutral';

/**
 * The `main` part of a statement that calls no unknown function and only reads something outside the tables, which
 * changes nothing; any other statement as it is.
 */
export const apartFromCalls = (statement: Statement): Statement =>
  statement.kind === 'calling' && statement.functions.length === 0 ? statement.main : statement;

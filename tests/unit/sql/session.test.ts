import { describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import type { Dialect } from '../../../server/src/sql/tokens';
import { inWords } from './in-words';

type Row = [dialect: 'any' | Dialect, sql: string, expected: string];

const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres', 'mysql'];

const check = (dialect: 'any' | Dialect, sql: string, expected: string): void => {
  for (const each of dialect === 'any' ? DIALECTS : [dialect]) expect(inWords(analyse(sql, each)), each).toBe(expected);
};

describe('transactions, settings, and everything else', () => {
  describe('transactions', () => {
    it.each<Row>([
      ['any', 'BEGIN;', 'begin'],
      ['any', 'begin', 'begin'],
      ['any', 'BEGIN TRANSACTION ISOLATION LEVEL serializable READ ONLY;', 'begin'],
      ['any', 'begin immediate', 'begin'],
      ['any', 'START TRANSACTION', 'begin'],
      ['any', 'start transaction with consistent snapshot, read only', 'begin'],
      ['any', 'begin not atomic', 'unknown'],
      ['any', 'start slave', 'unknown'],
      ['any', 'COMMIT;', 'commit'],
      ['any', 'commit work', 'commit'],
      ['any', 'END', 'commit'],
      ['any', 'end transaction', 'commit'],
      ['any', 'commit and chain', 'unknown'],
      ['any', 'commit and no chain', 'unknown'],
      ['any', "commit prepared 'x'", 'unknown'],
      ['any', "prepare transaction 'x'", 'unknown'],
      ['any', 'ROLLBACK', 'rollback'],
      ['any', 'rollback work', 'rollback'],
      ['any', 'rollback and chain', 'unknown'],
      ['any', 'rollback release', 'unknown'],
      ['any', 'SAVEPOINT trx1;', 'savepoint trx1'],
      ['any', 'savepoint "Trx1"', 'savepoint trx1'],
      ['any', 'RELEASE SAVEPOINT trx1;', 'release trx1'],
      ['any', 'RELEASE trx1', 'release trx1'],
      ['any', 'ROLLBACK TO SAVEPOINT trx1', 'rollback-to trx1'],
      ['any', 'ROLLBACK TO trx1', 'rollback-to trx1'],
      ['any', 'rollback work to savepoint trx1', 'rollback-to trx1'],
      ['any', 'rollback to', 'unknown'],
      ['any', 'savepoint', 'unknown'],
      ['any', "xa commit 'x'", 'unknown'],
      ['any', 'begin; update articles set title = ? where id = ?; commit;', 'unknown'],
    ])('%s: %s', check);
  });

  describe('settings and introspection', () => {
    it.each<Row>([
      ['any', 'SET TRANSACTION ISOLATION LEVEL serializable READ ONLY;', 'neutral'],
      ['any', 'set search_path to "other"', 'neutral'],
      ['any', 'set session sql_require_primary_key = 0;', 'neutral'],
      ['any', 'set names utf8mb4', 'neutral'],
      ['any', 'set autocommit = 0', 'unknown'],
      ['any', 'set @@session.autocommit = 1', 'unknown'],
      ['any', 'set x = my_function()', 'unknown'],
      ['any', 'set completion_type = 1', 'unknown'],
      ['any', 'PRAGMA foreign_keys = on', 'neutral'],
      ['sqlite', 'pragma table_info(`articles`)', 'neutral'],
      ['postgres', 'pragma table_info(`articles`)', 'unknown'],
      ['mysql', 'pragma table_info(`articles`)', 'neutral'],
      ['any', 'show tables', 'neutral'],
      ['any', 'describe articles', 'neutral'],
      ['any', 'explain select * from articles', 'neutral'],
      ['any', 'explain update articles set title = ?', 'neutral'],
      ['any', 'explain analyze select * from articles', 'unknown'],
      ['any', 'EXPLAIN ANALYZE update articles set title = ?', 'unknown'],
      ['any', 'explain (analyze, buffers) delete from articles', 'unknown'],
      ['any', 'explain analyze with x as (select 1) select 1', 'unknown'],
      ['any', 'analyze articles', 'unknown'],
      ['any', 'listen x', 'neutral'],
      ['any', 'discard all', 'neutral'],
      ['postgres', 'lock table articles in exclusive mode', 'neutral'],
      ['mysql', 'lock tables articles write', 'unknown'],
      ['mysql', 'unlock tables', 'unknown'],
      ['any', 'execute my_statement', 'unknown'],
      ['any', 'do $$ begin delete from articles; end $$', 'unknown'],
    ])('%s: %s', check);
  });

  describe('nothing, and rubbish', () => {
    it.each<Row>([
      ['any', '', 'neutral'],
      ['any', ';;', 'neutral'],
      ['any', '-- nothing', 'neutral'],
      ['any', '/* nothing */ ;', 'neutral'],
      ['any', "select 'unterminated", 'unknown'],
      ['any', 'select (1', 'unknown'],
      ['any', 'select 1)', 'unknown'],
      ['any', 'hello world', 'unknown'],
      ['any', '?', 'unknown'],
      ['any', '"select" 1', 'unknown'],
      ['any', 'select * from articles; drop table articles', 'unknown'],
      ['any', 'create trigger x after insert on a begin update b set c = 1; delete from d; end; commit', 'unknown'],
      ['any', 'create index x on articles (id); commit', 'unknown'],
      ['mysql', 'set statement max_statement_time = 1 for update articles set title = ?', 'unknown'],
    ])('%s: %s', check);
  });
});

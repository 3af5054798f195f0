import { describe } from 'vitest';

import { ask } from './ask';

describe('transactions, settings, and everything else', () => {
  describe('transactions', () => {
    ask({
      any: {
        'BEGIN;': 'begin',
        begin: 'begin',
        'BEGIN TRANSACTION ISOLATION LEVEL serializable READ ONLY;': 'begin',
        'begin immediate': 'begin',
        'START TRANSACTION': 'begin',
        'start transaction with consistent snapshot, read only': 'begin',
        'COMMIT;': 'commit',
        'commit work': 'commit',
        'commit and chain': 'unknown',
        'commit and no chain': 'unknown',
        "commit prepared 'x'": 'unknown',
        ROLLBACK: 'rollback',
        'rollback and chain': 'unknown',
        'rollback release': 'unknown',
        'SAVEPOINT trx1;': 'savepoint trx1',
        'savepoint "Trx1"': 'savepoint trx1',
        'RELEASE SAVEPOINT trx1;': 'release trx1',
        'RELEASE trx1': 'release trx1',
        'ROLLBACK TO SAVEPOINT trx1': 'rollback-to trx1',
        'ROLLBACK TO trx1': 'rollback-to trx1',
        'rollback work to savepoint trx1': 'rollback-to trx1',
        'rollback to': 'unknown',
      },
    });
  });

  describe('settings and introspection', () => {
    ask({
      any: {
        'SET TRANSACTION ISOLATION LEVEL serializable READ ONLY;': 'neutral',
        'set search_path to "other"': 'neutral',
        "set transaction snapshot '00000003-1'": 'shows the snapshot of another transaction, opaque',
        'set session sql_require_primary_key = 0;': 'neutral',
        'set names utf8mb4': 'neutral',
        'set x = my_function()': 'unknown',
        'explain select * from articles': 'shows how the database executes a statement, opaque',
        "show table status like 'articles'": 'shows what SHOW says of the server, opaque',
        'explain analyze select * from articles': 'unknown',
        'EXPLAIN ANALYZE update articles set title = ?': 'unknown',
        'explain (analyze, buffers) delete from articles': 'unknown',
        'explain analyze with x as (select 1) select 1': 'unknown',
        'do $$ begin delete from articles; end $$': 'unknown',
      },
      sqlite: {
        'pragma table_info(`articles`)': 'neutral',
        'pragma main.table_info(articles)': 'neutral',
        'pragma user_version': 'shows a pragma, opaque',
        'pragma foreign_keys = on': 'neutral',
      },
      postgres: {
        'pragma table_info(`articles`)': 'unknown',
        'lock table articles in exclusive mode': 'neutral',
      },
    });
  });

  describe('nothing, and rubbish', () => {
    ask({
      any: {
        '': 'neutral',
        ';;': 'neutral',
        '-- nothing': 'neutral',
        '/* nothing */ ;': 'neutral',
        'select (1': 'unknown',
        '"select" 1': 'unknown',
        'select * from articles; drop table articles': 'unknown',
      },
      mysql: {
        'set statement max_statement_time = 1 for update articles set title = ?': 'unknown',
      },
    });
  });
});

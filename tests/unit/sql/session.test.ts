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
        'begin not atomic': 'unknown',
        'start slave': 'unknown',
        'COMMIT;': 'commit',
        'commit work': 'commit',
        END: 'commit',
        'end transaction': 'commit',
        'commit and chain': 'unknown',
        'commit and no chain': 'unknown',
        "commit prepared 'x'": 'unknown',
        "prepare transaction 'x'": 'unknown',
        ROLLBACK: 'rollback',
        'rollback work': 'rollback',
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
        savepoint: 'unknown',
        "xa commit 'x'": 'unknown',
        'begin; update articles set title = ? where id = ?; commit;': 'unknown',
      },
    });
  });

  describe('settings and introspection', () => {
    ask({
      any: {
        'SET TRANSACTION ISOLATION LEVEL serializable READ ONLY;': 'neutral',
        'set search_path to "other"': 'neutral',
        'set session sql_require_primary_key = 0;': 'neutral',
        'set names utf8mb4': 'neutral',
        'set autocommit = 0': 'unknown',
        'set @@session.autocommit = 1': 'unknown',
        'set x = my_function()': 'unknown',
        'set completion_type = 1': 'unknown',
        'PRAGMA foreign_keys = on': 'neutral',
        'show tables': 'neutral',
        'describe articles': 'neutral',
        'explain select * from articles': 'neutral',
        'explain update articles set title = ?': 'neutral',
        'explain analyze select * from articles': 'unknown',
        'EXPLAIN ANALYZE update articles set title = ?': 'unknown',
        'explain (analyze, buffers) delete from articles': 'unknown',
        'explain analyze with x as (select 1) select 1': 'unknown',
        'analyze articles': 'unknown',
        'listen x': 'neutral',
        'discard all': 'neutral',
        'execute my_statement': 'unknown',
        'do $$ begin delete from articles; end $$': 'unknown',
      },
      sqlite: {
        'pragma table_info(`articles`)': 'neutral',
      },
      postgres: {
        'pragma table_info(`articles`)': 'unknown',
        'lock table articles in exclusive mode': 'neutral',
      },
      mysql: {
        'pragma table_info(`articles`)': 'neutral',
        'lock tables articles write': 'unknown',
        'unlock tables': 'unknown',
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
        "select 'unterminated": 'unknown',
        'select (1': 'unknown',
        'select 1)': 'unknown',
        'hello world': 'unknown',
        '?': 'unknown',
        '"select" 1': 'unknown',
        'select * from articles; drop table articles': 'unknown',
        'create trigger x after insert on a begin update b set c = 1; delete from d; end; commit': 'unknown',
        'create index x on articles (id); commit': 'unknown',
      },
      mysql: {
        'set statement max_statement_time = 1 for update articles set title = ?': 'unknown',
      },
    });
  });
});

const run = async (knex, statements) => {
  for (const statement of statements) await knex.raw(statement);
};

exports.tables = (knex) =>
  run(knex, [
    `create table bo_stock (
      sku varchar(20) primary key,
      supplier_code varchar(20) references bo_suppliers(code) on delete cascade on update cascade,
      label varchar(60), amount integer default 3, reserved integer default 0,
      available integer generated always as (amount - reserved) stored,
      status_id integer default 1)`,
    `create table bo_measures (taken integer, value integer)`,
    `create table bo_people (nr integer primary key, name varchar(60))`,
    `create table bo_staff (nr integer primary key, name varchar(60), shift varchar(20))`,
    `create table bo_stamps (nr integer primary key, name varchar(60), touched text default current_timestamp)`,
    `create table bo_docs (nr integer primary key autoincrement, data text)`,
    `create table bo_audit (nr integer primary key autoincrement, what varchar(60))`,
  ]);

exports.rest = (knex) =>
  run(knex, [
    `create view bo_measures_old as select * from bo_measures where taken < 100`,
    `create view bo_everybody as select nr, name from bo_people union all select nr, name from bo_staff`,
    `create view bo_open_events as select id, title, seats from events where published_at is not null and locale = 'en'`,
    `create view bo_totals as select count(*) as n, sum(seats) as seats from events`,
    `create virtual table bo_notes_words using fts5(title, body, content='bo_notes', content_rowid='nr')`,
    `insert into bo_notes_words(bo_notes_words) values('rebuild')`,
    `create trigger bo_notes_added after insert on bo_notes begin
      insert into bo_notes_words(rowid, title, body) values (new.nr, new.title, new.body); end`,
    `create trigger bo_notes_gone after delete on bo_notes begin
      insert into bo_notes_words(bo_notes_words, rowid, title, body) values ('delete', old.nr, old.title, old.body); end`,
    `create trigger bo_notes_changed after update on bo_notes begin
      insert into bo_notes_words(bo_notes_words, rowid, title, body) values ('delete', old.nr, old.title, old.body);
      insert into bo_notes_words(rowid, title, body) values (new.nr, new.title, new.body); end`,
    `create trigger bo_reviews_counted after insert on bo_reviews begin
      update bo_counters set n = n + 1 where name = 'reviews'; end`,
    `create trigger bo_acts_counted after update of name on acts begin
      update bo_counters set n = n + 1 where name = 'acts';
      insert into bo_audit(what) values ('act renamed'); end`,
    `create trigger bo_regions_renamed after update of name on bo_regions begin
      update halls set region_name = new.name where region_code = new.code; end`,
    `create trigger bo_regions_gone after delete on bo_regions begin
      update halls set region_code = null where region_code = old.code; end`,
    `create trigger bo_stamps_touched after update of name on bo_stamps begin
      update bo_stamps set touched = current_timestamp where nr = new.nr; end`,
    `create trigger bo_staff_hired after insert on bo_staff begin
      insert into bo_audit(what) values ('hired ' || new.name); end`,
  ]);

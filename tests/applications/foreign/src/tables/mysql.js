const run = async (knex, statements) => {
  for (const statement of statements) await knex.raw(statement);
};

exports.tables = (knex) =>
  run(knex, [
    `create table bo_stock (
      sku varchar(20) primary key,
      supplier_code varchar(20),
      label varchar(60), amount integer default 3, reserved integer default 0,
      available integer generated always as (amount - reserved) stored,
      status_id integer default 1,
      foreign key (supplier_code) references bo_suppliers(code) on delete cascade on update cascade)`,
    `create table bo_measures (taken integer, value integer) partition by range (taken) (
      partition old values less than (100), partition rest values less than maxvalue)`,
    `create table bo_people (nr integer primary key, name varchar(60))`,
    `create table bo_staff (nr integer primary key, name varchar(60), shift varchar(20))`,
    `create table bo_stamps (nr integer primary key, name varchar(60),
      touched timestamp not null default current_timestamp on update current_timestamp)`,
    `create table bo_docs (nr integer auto_increment primary key, data json)`,
    `create table bo_audit (nr integer auto_increment primary key, what varchar(60))`,
  ]);

exports.rest = async (knex) => {
  const [[{ here }]] = await knex.raw('select database() as here');
  await run(knex, [
    `create view bo_measures_old as select * from bo_measures where taken < 100`,
    `create view bo_everybody as select nr, name from bo_people union all select nr, name from bo_staff`,
    // In another database. Whoever drops this database drops that one as well.
    `create database if not exists ${here}_reports`,
    `create view ${here}_reports.open_events as select id, title, seats from ${here}.events where published_at is not null and locale = 'en'`,
    `create view bo_open_events as select * from ${here}_reports.open_events`,
    `create view bo_totals as select count(*) as n, sum(seats) as seats from events`,
    `alter table bo_notes add fulltext index bo_notes_words (body)`,
    `alter table halls add constraint bo_halls_region foreign key (region_code) references bo_regions(code) on update cascade on delete set null`,
    `create trigger bo_reviews_counted after insert on bo_reviews for each row
      update bo_counters set n = n + 1 where name = 'reviews'`,
    `create trigger bo_acts_counted after update on acts for each row begin
      if not (new.name <=> old.name) then
        update bo_counters set n = n + 1 where name = 'acts';
        insert into bo_audit(what) values ('act renamed');
      end if; end`,
    `create trigger bo_regions_renamed after update on bo_regions for each row begin
      if not (new.name <=> old.name) then
        update halls set region_name = new.name where region_code = new.code;
      end if; end`,
    `create trigger bo_staff_hired after insert on bo_staff for each row
      insert into bo_audit(what) values (concat('hired ', new.name))`,
    `create function bo_vat(a integer) returns integer deterministic no sql return a * 6 div 5`,
    `create function bo_event_count() returns bigint reads sql data
      return (select count(*) from events where published_at is not null)`,
    `create function bo_peek(a varchar(20)) returns integer reads sql data
      return (select n from bo_counters where name = a)`,
    `create function bo_bump(a varchar(20)) returns integer modifies sql data begin
      update bo_counters set n = n + 1 where name = a;
      return (select n from bo_counters where name = a); end`,
  ]);
};

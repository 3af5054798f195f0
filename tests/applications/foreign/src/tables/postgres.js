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
    `create table bo_measures (taken integer, value integer) partition by range (taken)`,
    `create table bo_measures_old partition of bo_measures for values from (0) to (100)`,
    `create table bo_measures_new partition of bo_measures for values from (100) to (100000)`,
    `create table bo_people (nr integer primary key, name varchar(60))`,
    `create table bo_staff (shift varchar(20)) inherits (bo_people)`,
    `create table bo_stamps (nr integer primary key, name varchar(60), touched timestamp default now())`,
    `create table bo_docs (nr serial primary key, data jsonb)`,
    `create table bo_audit (nr serial primary key, what varchar(60))`,
  ]);

const trigger = (name, event, body) => [
  `create function ${name}_run() returns trigger language plpgsql as $$ begin ${body} end $$`,
  `create trigger ${name} ${event} for each row execute function ${name}_run()`,
];

exports.rest = (knex) =>
  run(knex, [
    `create view bo_everybody as select nr, name from bo_people`,
    `create schema reports`,
    `create view reports.open_events as select id, title, seats from events where published_at is not null and locale = 'en'`,
    `create view bo_open_events as select * from reports.open_events`,
    `create materialized view bo_totals as select count(*) as n, sum(seats) as seats from events`,
    `alter table bo_notes add column words tsvector generated always as (to_tsvector('english', coalesce(body, ''))) stored`,
    `create index bo_notes_words on bo_notes using gin (words)`,
    `alter table halls add constraint bo_halls_region foreign key (region_code) references bo_regions(code) on update cascade on delete set null`,
    ...trigger(
      'bo_reviews_counted',
      'after insert on bo_reviews',
      `update bo_counters set n = n + 1 where name = 'reviews'; return new;`,
    ),
    ...trigger(
      'bo_acts_counted',
      'after update of name on acts',
      `update bo_counters set n = n + 1 where name = 'acts'; insert into bo_audit(what) values ('act renamed'); return new;`,
    ),
    ...trigger(
      'bo_regions_renamed',
      'after update of name on bo_regions',
      `update halls set region_name = new.name where region_code = new.code; return new;`,
    ),
    ...trigger('bo_stamps_touched', 'before update on bo_stamps', `new.touched := now(); return new;`),
    ...trigger(
      'bo_staff_hired',
      'after insert on bo_staff',
      `insert into bo_audit(what) values ('hired ' || new.name); return new;`,
    ),
    `create function bo_vat(integer) returns integer language sql immutable as 'select $1 * 6 / 5'`,
    `create function bo_event_count() returns bigint language sql stable as 'select count(*) from events where published_at is not null'`,
    `create function bo_peek(text) returns integer language plpgsql stable as $$ declare found integer; begin select n into found from bo_counters where name = $1; return found; end $$`,
    `create function bo_bump(text) returns integer language sql as 'update bo_counters set n = n + 1 where name = $1 returning n'`,
  ]);

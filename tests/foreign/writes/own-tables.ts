import type { Knex } from 'knex';
import { EVENT, kindsOf, only, type World } from '../world';

const fails = async (transaction: Promise<unknown>): Promise<void> => {
  await transaction.then(
    () => Promise.reject(new Error('the transaction was to fail')),
    () => undefined,
  );
};

const failing = (world: World, work: (transaction: Knex.Transaction) => Promise<unknown>): Promise<void> =>
  fails(
    world.knex.transaction(async (transaction) => {
      await work(transaction);
      throw new Error('on purpose');
    }),
  );

const number = (world: World, end = 1000): number => world.random.below(end);

/** Inserts a supplier and its stock again if they were deleted. */
const restock = async (world: World): Promise<void> => {
  const codes = (await world.knex('bo_suppliers').pluck<string[]>('code')) ?? [];
  if (!codes.includes('ACME')) await world.knex('bo_suppliers').insert({ code: 'ACME', name: 'Acme' });
  const skus = await world.knex('bo_stock').pluck<string[]>('sku');
  for (const sku of ['rope', 'lamp', 'sail'])
    if (!skus.includes(sku)) await world.knex('bo_stock').insert({ sku, supplier_code: 'ACME', label: sku });
};

/** Writes to the application's own tables. */
export const ownTableWrites = kindsOf({
  'stock: amount, which a generated column follows': ({ knex, random }) =>
    knex('bo_stock')
      .where({ sku: 'lamp' })
      .update({ amount: 3 + random.below(3) }),
  'stock: insert what has defaults, or delete it': async ({ knex, random }) => {
    const gone = await knex('bo_stock').where('sku', 'like', 'new%').delete();
    if (gone === 0) await knex('bo_stock').insert({ sku: `new${random.below(1000)}`, label: random.words() });
  },
  'stock: upsert, merged by its key under another supplier': ({ knex, random }) =>
    knex('bo_stock')
      .insert({ sku: 'sail', supplier_code: 'BOLT', label: random.words(), status_id: 1 + random.below(2) })
      .onConflict('sku')
      .merge(['label']),
  'stock: upsert that merges everything': ({ knex, random }) =>
    knex('bo_stock')
      .insert({ sku: 'rope', supplier_code: random.pick(['BOLT', null]), label: random.words() })
      .onConflict('sku')
      .merge(),
  'stock: upsert that is ignored': ({ knex }) =>
    knex('bo_stock').insert({ sku: 'rope', label: 'ignored' }).onConflict('sku').ignore(),
  'stock: replace': only(['sqlite', 'mysql'], ({ knex, random }) =>
    knex.raw('replace into bo_stock (sku, supplier_code, label) values (?, ?, ?)', ['lamp', 'BOLT', random.words()]),
  ),
  'stock: several upserts at once': ({ knex, random }) =>
    knex('bo_stock')
      .insert(['rope', 'lamp'].map((sku) => ({ sku, supplier_code: 'BOLT', label: random.words() })))
      .onConflict('sku')
      .merge(['label']),
  'tasks: upsert over a row of another creator': ({ knex, random }) =>
    knex('bo_tasks').insert({ id: 2, title: random.words(), created_by_id: 1 }).onConflict('id').merge(['title']),
  'tasks: upsert in the words of each database': ({ client, knex, random }) =>
    knex.raw(
      client === 'mysql'
        ? 'insert into bo_tasks (id, title) values (?, ?) on duplicate key update title = values(title), status_id = 3 - status_id'
        : 'insert into bo_tasks (id, title) values (?, ?) on conflict (id) do update set title = excluded.title, status_id = 3 - bo_tasks.status_id',
      [1 + random.below(3), random.words()],
    ),
  'tasks: insert with defaults, or delete': async ({ client, knex, random }) => {
    const gone = await knex('bo_tasks').where('id', '>', 3).delete();
    if (gone > 0) return gone;
    if (client === 'postgres')
      return knex.raw(`insert into bo_tasks (id, title) values (nextval('bo_tasks_id_seq') + 3, ?)`, ['more']);
    return knex('bo_tasks').insert({ title: random.words() });
  },
  'tasks: insert … returning': ({ knex, random }) =>
    knex.raw('insert into bo_tasks (id, title) values (?, ?) returning id, title', [
      10 + random.below(1e6),
      random.words(),
    ]),
  'tasks: status by an expression': ({ knex }) =>
    knex('bo_tasks')
      .where('id', '<', 3)
      .update({ status_id: knex.raw('3 - status_id') }),
  'letters: moved from tasks by a CTE': async ({ client, knex, random }) => {
    const id = 2_000_000 + random.below(1e6);
    await knex('bo_tasks').insert({ id, title: random.words() });
    if (client === 'postgres')
      return knex.raw(
        `with gone as (delete from bo_tasks where id = ? returning title)
           insert into bo_letters (subject) select title from gone returning nr`,
        [id],
      );
    await knex.raw('insert into bo_letters (subject) select title from bo_tasks where id = ?', [id]);
    return knex('bo_tasks').where({ id }).delete();
  },
  'letters: update in a CTE in front of an insert': only(['postgres'], ({ knex }) =>
    knex.raw(
      `with changed as (update bo_counters set n = n + 1 where name = 'bumps' returning n)
         insert into bo_audit (what) select 'bump ' || n from changed returning nr`,
    ),
  ),
  'letters: delete': ({ knex }) => knex('bo_letters').where('nr', '>', 2).delete(),
  'prices: upsert under a composite key': ({ knex, random }) =>
    knex('bo_prices')
      .insert({ event_key: 'gala', zone: random.pick(['A', 'B']), net: random.below(1000) })
      .onConflict(['event_key', 'zone'])
      .merge(random.pick([['net'], ['net', 'currency']])),
  'prices: update by half the key': ({ knex, random }) =>
    knex('bo_prices')
      .where({ zone: 'B' })
      .update({ net: random.below(1000) }),
  'texts: one of two rows with one id': ({ knex, random }) =>
    knex('bo_texts')
      .where({ id: 1 + random.below(3), lang: 'fr' })
      .update({ body: random.words() }),
  'texts: languages swapped': ({ knex }) =>
    knex.transaction(async (transaction) => {
      await transaction('bo_texts').where({ id: 1, lang: 'fr' }).update({ lang: 'xx' });
      await transaction('bo_texts').where({ id: 1, lang: 'en' }).update({ lang: 'fr' });
      await transaction('bo_texts').where({ id: 1, lang: 'xx' }).update({ lang: 'en' });
    }),
  'suppliers: name': ({ knex, random }) =>
    knex('bo_suppliers').where({ code: 'BOLT' }).update({ name: random.words() }),
  'suppliers: key, which stock follows': async ({ knex }) => {
    const there = await knex('bo_suppliers').where({ code: 'CARGO' }).first();
    const [from, to] = there === undefined ? ['CRATE', 'CARGO'] : ['CARGO', 'CRATE'];
    await knex('bo_suppliers').where({ code: from }).update({ code: to });
  },
  'suppliers: delete with stock, or put back': async (world) => {
    const gone = await world.knex('bo_suppliers').where({ code: 'ACME' }).delete();
    if (gone === 0) await restock(world);
  },
  'suppliers: delete with stock that the transaction cannot see': only(['postgres', 'mysql'], async (world) => {
    await world.knex('bo_suppliers').insert({ code: 'LATE', name: 'Late' });
    await world.knex.transaction(async (transaction) => {
      await transaction('bo_stock').select('sku');
      // On another connection, after the transaction has taken its snapshot.
      await world.knex('bo_stock').where({ sku: 'sail' }).delete();
      await world.knex('bo_stock').insert({ sku: 'sail', supplier_code: 'LATE', label: 'unseen' });
      await transaction('bo_suppliers').where({ code: 'LATE' }).delete();
    });
    await restock(world);
  }),
  'reviews: insert, which a trigger counts': async (world) =>
    world
      .knex('bo_reviews')
      .insert({ event_id: (await world.any(EVENT)).id, stars: 1 + number(world, 5), body: world.words() }),
  'events: delete by SQL, with reviews and their notes': async (world) => {
    const rows = await world.rows(EVENT, { publishedAt: { $notNull: true }, locale: 'en' });
    const reviewed = await world.knex('bo_reviews').pluck<number[]>('event_id');
    const row = rows.length > 4 ? rows.find(({ id }) => reviewed.includes(id)) : undefined;
    if (row !== undefined) return world.knex('events').where({ id: row.id }).delete();
    const { id } = world.random.pick(rows);
    const nr = 1000 + number(world, 1e6);
    await world.knex('bo_reviews').insert({ nr, event_id: id, stars: 5, body: world.words() });
    return world.knex('bo_review_notes').insert({ review_nr: nr, text: world.words() });
  },
  'halls: region': async (world) =>
    world
      .knex('halls')
      .where({ id: (await world.any('api::hall.hall')).id })
      .update({
        region_code: world.random.pick([...(await world.knex('bo_regions').pluck<string[]>('code')), null]),
      }),
  'regions: name, which a trigger copies into halls': ({ knex, random }) =>
    knex('bo_regions').where({ code: 'N' }).update({ name: random.words() }),
  'regions: delete, which halls lose, or put back': async ({ knex, random }) => {
    const gone = await knex('bo_regions').where({ code: 'N' }).delete();
    if (gone > 0) return;
    await knex('bo_regions').insert({ code: 'N', name: random.words() });
    await knex('halls').where({ name: 'Cellar' }).orWhereNull('region_code').update({ region_code: 'N' });
  },
  'regions: key, which halls follow': only(['postgres', 'mysql'], async ({ knex }) => {
    const there = await knex('bo_regions').where({ code: 'S' }).first();
    const [from, to] = there === undefined ? ['S2', 'S'] : ['S', 'S2'];
    await knex('bo_regions').where({ code: from }).update({ code: to });
  }),
  'measures: bulk import, or delete it': async ({ knex, random }) => {
    const gone = await knex('bo_measures').where('taken', '>', 500).delete();
    if (gone > 0) return;
    const rows = Array.from({ length: 40 }, (_, index) => ({ taken: 501 + index, value: random.below(1000) }));
    await knex.batchInsert('bo_measures', rows, 15);
  },
  'measures: from one partition to the other': ({ knex, random }) =>
    knex('bo_measures')
      .where({ value: random.pick([20, 120, 240, 360]) })
      .update({ taken: random.pick([5, 50, 105, 150]) }),
  'measures: a partition by its own name': only(['postgres'], ({ knex, random }) =>
    knex('bo_measures_old').insert({ taken: random.below(99), value: random.below(1000) }),
  ),
  'measures: a partition emptied': only(['postgres'], async ({ knex }) => {
    await knex.raw('truncate bo_measures_old');
    await knex('bo_measures').insert([10, 60].map((taken) => ({ taken, value: taken * 2 })));
  }),
  'people: by their common name': ({ knex, random }) => knex('bo_people').update({ name: random.words() }),
  'staff: hired or fired': async ({ knex, random }) => {
    const gone = await knex('bo_staff').where('nr', '>', 100).delete();
    if (gone === 0)
      await knex('bo_staff').insert({ nr: 101 + random.below(1000), name: random.words(), shift: 'late' });
  },
  'staff: shift': ({ knex, random }) =>
    knex('bo_staff')
      .where({ nr: 11 })
      .update({ shift: random.pick(['early', 'late']) }),
  'notes: text that is found by words': async ({ knex, random }) => {
    await knex('bo_notes')
      .where({ nr: 1 + random.below(3) })
      .update({ title: random.words(), body: random.pick(['rope and more', 'nothing here', 'lamp with rope']) });
  },
  'notes: insert or delete': async ({ knex, random }) => {
    const gone = await knex('bo_notes').where('nr', '>', 3).delete();
    if (gone === 0)
      await knex('bo_notes').insert({ nr: 4 + random.below(1000), title: random.words(), body: 'a rope' });
  },
  'stamps: touched by a name': async ({ knex, random }) => {
    const old = await knex('bo_stamps').where('touched', '<', '2021-01-01').first();
    if (old !== undefined) return knex('bo_stamps').where({ nr: old.nr }).update({ name: random.words() });
    // A trigger sets `touched` again for rows that are only renamed.
    await knex('bo_stamps').delete();
    return knex('bo_stamps').insert([1, 2].map((nr) => ({ nr, name: random.words(), touched: '2020-01-01 00:00:00' })));
  },
  'codes: label': ({ knex, random }) =>
    knex('bo_codes')
      .where({ code: random.pick(['5', '5abc', '7']) })
      .update({ label: random.words() }),
  'docs: a value within': ({ client, knex, random }) =>
    knex.raw(
      {
        sqlite: `update bo_docs set data = json_set(data, '$.place', ?) where nr = ?`,
        mysql: `update bo_docs set data = json_set(data, '$.place', ?) where nr = ?`,
        postgres: `update bo_docs set data = jsonb_set(data, '{place}', to_jsonb(?::text)) where nr = ?`,
      }[client],
      [random.pick(['loft', 'cellar', random.words()]), 1 + random.below(2)],
    ),
  'docs: insert or delete': async ({ knex, random }) => {
    const gone = await knex('bo_docs').where('nr', '>', 2).delete();
    if (gone === 0) await knex('bo_docs').insert({ data: JSON.stringify({ place: 'loft', n: random.below(1000) }) });
  },
  'counters: by a function that writes': ({ client, knex }) =>
    client === 'sqlite'
      ? knex('bo_counters').where({ name: 'bumps' }).increment('n')
      : knex.raw(`select bo_bump('bumps') as n`),
  'audit: truncated in a transaction that fails': (world) =>
    failing(world, (transaction) => transaction('bo_audit').truncate()),
  'tasks: changed before a TRUNCATE in a transaction that fails': (world) =>
    failing(world, async (transaction) => {
      await transaction('bo_tasks').where({ id: 2 }).update({ title: world.words() });
      await transaction('bo_audit').truncate();
    }),
  'acts: changed before DDL in a transaction that fails': (world) =>
    failing(world, async (transaction) => {
      await transaction('acts')
        .where('rank', '>', 1)
        .update({ bio: world.words(), rank: 2 + number(world, 3) });
      await transaction.schema.createTable(`bo_scratch_${number(world, 1e9)}`, (table) => {
        table.integer('n');
      });
    }),
  'savepoints: one rolled back, one kept': ({ knex, random }) =>
    knex.transaction(async (transaction) => {
      await transaction('bo_suppliers').where({ code: 'BOLT' }).update({ name: random.words() });
      await fails(
        transaction.transaction(async (inner) => {
          await inner('bo_tasks').update({ title: 'never' });
          throw new Error('on purpose');
        }),
      );
      await transaction.transaction(async (inner) => {
        await inner('houses').where({ slug: 'north' }).update({ motto: random.words() });
      });
    }),
  'a transaction that fails at its end': (world) =>
    failing(world, async (transaction) => {
      await transaction('houses').update({ motto: 'never said' });
      await transaction('bo_stock').update({ label: 'never' });
    }),
  'view: made anew': async ({ client, knex, random }) => {
    const above = random.below(110);
    const columns = `id, title, seats from events where published_at is not null and locale = 'en' and seats > ${above}`;
    if (client === 'sqlite') {
      await knex.transaction(async (transaction) => {
        await transaction.raw('drop view bo_open_events');
        await transaction.raw(`create view bo_open_events as select ${columns}`);
      });
    } else if (client === 'postgres') {
      await knex.raw(`create or replace view reports.open_events as select ${columns}`);
    } else {
      const [[{ here }]] = await knex.raw('select database() as here');
      const elsewhere = columns.replace('from events', `from ${here}.events`);
      await knex.raw(`create or replace view ${here}_reports.open_events as select ${elsewhere}`);
    }
  },
  'materialised view: refreshed': only(['postgres'], ({ knex }) => knex.raw('refresh materialized view bo_totals')),
  'merge into': only(['postgres'], ({ knex, random }) =>
    knex.raw(
      `merge into bo_codes c using (values ('7', ?), ('9', 'nine')) as v(code, label) on c.code = v.code
         when matched then update set label = v.label when not matched then insert (code, label) values (v.code, v.label)`,
      [random.words()],
    ),
  ),
  'stock: updated from another table': ({ client, knex }) =>
    knex.raw(
      {
        sqlite: `update bo_stock set label = (select name from bo_suppliers p where p.code = bo_stock.supplier_code) where sku = 'sail'`,
        postgres: `update bo_stock s set label = p.name from bo_suppliers p where p.code = s.supplier_code and s.sku = 'sail'`,
        mysql: `update bo_stock s join bo_suppliers p on p.code = s.supplier_code set s.label = p.name where s.sku = 'sail'`,
      }[client],
    ),
  'events: update … returning': only(['sqlite', 'postgres'], async (world) =>
    world
      .knex('events')
      .where({ id: (await world.anyPublished()).id })
      .update({ seats: 90 + number(world, 30) })
      .returning(['id', 'title']),
  ),
  'events: locked and updated': ({ knex, random }) =>
    knex.transaction(async (transaction) => {
      const row = await transaction('events').whereNotNull('published_at').orderBy('id').forUpdate().first('id');
      await transaction('events')
        .where({ id: row?.id })
        .update({ price: random.below(30), title: random.words() });
    }),
});

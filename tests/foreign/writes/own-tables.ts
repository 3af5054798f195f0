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
  'stock: amount, which a generated column follows': (world) =>
    world
      .knex('bo_stock')
      .where({ sku: 'lamp' })
      .update({ amount: 3 + number(world, 3) }),
  'stock: insert what has defaults, or delete it': async (world) => {
    const gone = await world.knex('bo_stock').where('sku', 'like', 'new%').delete();
    if (gone === 0) await world.knex('bo_stock').insert({ sku: `new${number(world)}`, label: world.words() });
  },
  'stock: upsert, merged by its key under another supplier': (world) =>
    world
      .knex('bo_stock')
      .insert({ sku: 'sail', supplier_code: 'BOLT', label: world.words(), status_id: 1 + number(world, 2) })
      .onConflict('sku')
      .merge(['label']),
  'stock: upsert that merges everything': (world) =>
    world
      .knex('bo_stock')
      .insert({ sku: 'rope', supplier_code: world.random.pick(['BOLT', null]), label: world.words() })
      .onConflict('sku')
      .merge(),
  'stock: upsert that is ignored': (world) =>
    world.knex('bo_stock').insert({ sku: 'rope', label: 'ignored' }).onConflict('sku').ignore(),
  'stock: replace': only(['sqlite', 'mysql'], (world) =>
    world.knex.raw('replace into bo_stock (sku, supplier_code, label) values (?, ?, ?)', [
      'lamp',
      'BOLT',
      world.words(),
    ]),
  ),
  'stock: several upserts at once': (world) =>
    world
      .knex('bo_stock')
      .insert(['rope', 'lamp'].map((sku) => ({ sku, supplier_code: 'BOLT', label: world.words() })))
      .onConflict('sku')
      .merge(['label']),
  'tasks: upsert over a row of another creator': (world) =>
    world.knex('bo_tasks').insert({ id: 2, title: world.words(), created_by_id: 1 }).onConflict('id').merge(['title']),
  'tasks: upsert in the words of each database': (world) =>
    world.knex.raw(
      world.client === 'mysql'
        ? 'insert into bo_tasks (id, title) values (?, ?) on duplicate key update title = values(title), status_id = 3 - status_id'
        : 'insert into bo_tasks (id, title) values (?, ?) on conflict (id) do update set title = excluded.title, status_id = 3 - bo_tasks.status_id',
      [1 + number(world, 3), world.words()],
    ),
  'tasks: insert with defaults, or delete': async (world) => {
    const gone = await world.knex('bo_tasks').where('id', '>', 3).delete();
    if (gone > 0) return gone;
    if (world.client === 'postgres')
      return world.knex.raw(`insert into bo_tasks (id, title) values (nextval('bo_tasks_id_seq') + 3, ?)`, ['more']);
    return world.knex('bo_tasks').insert({ title: world.words() });
  },
  'tasks: insert … returning': (world) =>
    world.knex.raw('insert into bo_tasks (id, title) values (?, ?) returning id, title', [
      10 + number(world, 1e6),
      world.words(),
    ]),
  'tasks: status by an expression': (world) =>
    world
      .knex('bo_tasks')
      .where('id', '<', 3)
      .update({ status_id: world.knex.raw('3 - status_id') }),
  'letters: moved from tasks by a CTE': async (world) => {
    const id = 2_000_000 + number(world, 1e6);
    await world.knex('bo_tasks').insert({ id, title: world.words() });
    if (world.client === 'postgres')
      return world.knex.raw(
        `with gone as (delete from bo_tasks where id = ? returning title)
           insert into bo_letters (subject) select title from gone returning nr`,
        [id],
      );
    await world.knex.raw('insert into bo_letters (subject) select title from bo_tasks where id = ?', [id]);
    return world.knex('bo_tasks').where({ id }).delete();
  },
  'letters: update in a CTE in front of an insert': only(['postgres'], (world) =>
    world.knex.raw(
      `with changed as (update bo_counters set n = n + 1 where name = 'bumps' returning n)
         insert into bo_audit (what) select 'bump ' || n from changed returning nr`,
    ),
  ),
  'letters: delete': (world) => world.knex('bo_letters').where('nr', '>', 2).delete(),
  'prices: upsert under a composite key': (world) =>
    world
      .knex('bo_prices')
      .insert({ event_key: 'gala', zone: world.random.pick(['A', 'B']), net: number(world) })
      .onConflict(['event_key', 'zone'])
      .merge(world.random.pick([['net'], ['net', 'currency']])),
  'prices: update by half the key': (world) =>
    world
      .knex('bo_prices')
      .where({ zone: 'B' })
      .update({ net: number(world) }),
  'texts: one of two rows with one id': (world) =>
    world
      .knex('bo_texts')
      .where({ id: 1 + number(world, 3), lang: 'fr' })
      .update({ body: world.words() }),
  'texts: languages swapped': (world) =>
    world.knex.transaction(async (transaction) => {
      await transaction('bo_texts').where({ id: 1, lang: 'fr' }).update({ lang: 'xx' });
      await transaction('bo_texts').where({ id: 1, lang: 'en' }).update({ lang: 'fr' });
      await transaction('bo_texts').where({ id: 1, lang: 'xx' }).update({ lang: 'en' });
    }),
  'suppliers: name': (world) => world.knex('bo_suppliers').where({ code: 'BOLT' }).update({ name: world.words() }),
  'suppliers: key, which stock follows': async (world) => {
    const there = await world.knex('bo_suppliers').where({ code: 'CARGO' }).first();
    const [from, to] = there === undefined ? ['CRATE', 'CARGO'] : ['CARGO', 'CRATE'];
    await world.knex('bo_suppliers').where({ code: from }).update({ code: to });
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
  'regions: name, which a trigger copies into halls': (world) =>
    world.knex('bo_regions').where({ code: 'N' }).update({ name: world.words() }),
  'regions: delete, which halls lose, or put back': async (world) => {
    const gone = await world.knex('bo_regions').where({ code: 'N' }).delete();
    if (gone > 0) return;
    await world.knex('bo_regions').insert({ code: 'N', name: world.words() });
    await world.knex('halls').where({ name: 'Cellar' }).orWhereNull('region_code').update({ region_code: 'N' });
  },
  'regions: key, which halls follow': only(['postgres', 'mysql'], async (world) => {
    const there = await world.knex('bo_regions').where({ code: 'S' }).first();
    const [from, to] = there === undefined ? ['S2', 'S'] : ['S', 'S2'];
    await world.knex('bo_regions').where({ code: from }).update({ code: to });
  }),
  'measures: bulk import, or delete it': async (world) => {
    const gone = await world.knex('bo_measures').where('taken', '>', 500).delete();
    if (gone > 0) return;
    const rows = Array.from({ length: 40 }, (_, index) => ({ taken: 501 + index, value: number(world) }));
    await world.knex.batchInsert('bo_measures', rows, 15);
  },
  'measures: from one partition to the other': (world) =>
    world
      .knex('bo_measures')
      .where({ value: world.random.pick([20, 120, 240, 360]) })
      .update({ taken: world.random.pick([5, 50, 105, 150]) }),
  'measures: a partition by its own name': only(['postgres'], (world) =>
    world.knex('bo_measures_old').insert({ taken: number(world, 99), value: number(world) }),
  ),
  'measures: a partition emptied': only(['postgres'], async (world) => {
    await world.knex.raw('truncate bo_measures_old');
    await world.knex('bo_measures').insert([10, 60].map((taken) => ({ taken, value: taken * 2 })));
  }),
  'people: by their common name': (world) => world.knex('bo_people').update({ name: world.words() }),
  'staff: hired or fired': async (world) => {
    const gone = await world.knex('bo_staff').where('nr', '>', 100).delete();
    if (gone === 0)
      await world.knex('bo_staff').insert({ nr: 101 + number(world), name: world.words(), shift: 'late' });
  },
  'staff: shift': (world) =>
    world
      .knex('bo_staff')
      .where({ nr: 11 })
      .update({ shift: world.random.pick(['early', 'late']) }),
  'notes: text that is found by words': async (world) => {
    await world
      .knex('bo_notes')
      .where({ nr: 1 + number(world, 3) })
      .update({ title: world.words(), body: world.random.pick(['rope and more', 'nothing here', 'lamp with rope']) });
  },
  'notes: insert or delete': async (world) => {
    const gone = await world.knex('bo_notes').where('nr', '>', 3).delete();
    if (gone === 0)
      await world.knex('bo_notes').insert({ nr: 4 + number(world), title: world.words(), body: 'a rope' });
  },
  'stamps: touched by a name': async (world) => {
    const old = await world.knex('bo_stamps').where('touched', '<', '2021-01-01').first();
    if (old !== undefined) return world.knex('bo_stamps').where({ nr: old.nr }).update({ name: world.words() });
    // A trigger sets `touched` again for rows that are only renamed.
    await world.knex('bo_stamps').delete();
    return world
      .knex('bo_stamps')
      .insert([1, 2].map((nr) => ({ nr, name: world.words(), touched: '2020-01-01 00:00:00' })));
  },
  'codes: label': (world) =>
    world
      .knex('bo_codes')
      .where({ code: world.random.pick(['5', '5abc', '7']) })
      .update({ label: world.words() }),
  'docs: a value within': (world) =>
    world.knex.raw(
      {
        sqlite: `update bo_docs set data = json_set(data, '$.place', ?) where nr = ?`,
        mysql: `update bo_docs set data = json_set(data, '$.place', ?) where nr = ?`,
        postgres: `update bo_docs set data = jsonb_set(data, '{place}', to_jsonb(?::text)) where nr = ?`,
      }[world.client],
      [world.random.pick(['loft', 'cellar', world.words()]), 1 + number(world, 2)],
    ),
  'docs: insert or delete': async (world) => {
    const gone = await world.knex('bo_docs').where('nr', '>', 2).delete();
    if (gone === 0) await world.knex('bo_docs').insert({ data: JSON.stringify({ place: 'loft', n: number(world) }) });
  },
  'counters: by a function that writes': (world) =>
    world.client === 'sqlite'
      ? world.knex('bo_counters').where({ name: 'bumps' }).increment('n')
      : world.knex.raw(`select bo_bump('bumps') as n`),
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
  'savepoints: one rolled back, one kept': (world) =>
    world.knex.transaction(async (transaction) => {
      await transaction('bo_suppliers').where({ code: 'BOLT' }).update({ name: world.words() });
      await fails(
        transaction.transaction(async (inner) => {
          await inner('bo_tasks').update({ title: 'never' });
          throw new Error('on purpose');
        }),
      );
      await transaction.transaction(async (inner) => {
        await inner('houses').where({ slug: 'north' }).update({ motto: world.words() });
      });
    }),
  'a transaction that fails at its end': (world) =>
    failing(world, async (transaction) => {
      await transaction('houses').update({ motto: 'never said' });
      await transaction('bo_stock').update({ label: 'never' });
    }),
  'view: made anew': async (world) => {
    const above = number(world, 110);
    const columns = `id, title, seats from events where published_at is not null and locale = 'en' and seats > ${above}`;
    if (world.client === 'sqlite') {
      await world.knex.transaction(async (transaction) => {
        await transaction.raw('drop view bo_open_events');
        await transaction.raw(`create view bo_open_events as select ${columns}`);
      });
    } else if (world.client === 'postgres') {
      await world.knex.raw(`create or replace view reports.open_events as select ${columns}`);
    } else {
      const [[{ here }]] = await world.knex.raw('select database() as here');
      const elsewhere = columns.replace('from events', `from ${here}.events`);
      await world.knex.raw(`create or replace view ${here}_reports.open_events as select ${elsewhere}`);
    }
  },
  'materialised view: refreshed': only(['postgres'], (world) => world.knex.raw('refresh materialized view bo_totals')),
  'merge into': only(['postgres'], (world) =>
    world.knex.raw(
      `merge into bo_codes c using (values ('7', ?), ('9', 'nine')) as v(code, label) on c.code = v.code
         when matched then update set label = v.label when not matched then insert (code, label) values (v.code, v.label)`,
      [world.words()],
    ),
  ),
  'stock: updated from another table': (world) =>
    world.knex.raw(
      {
        sqlite: `update bo_stock set label = (select name from bo_suppliers p where p.code = bo_stock.supplier_code) where sku = 'sail'`,
        postgres: `update bo_stock s set label = p.name from bo_suppliers p where p.code = s.supplier_code and s.sku = 'sail'`,
        mysql: `update bo_stock s join bo_suppliers p on p.code = s.supplier_code set s.label = p.name where s.sku = 'sail'`,
      }[world.client],
    ),
  'events: update … returning': only(['sqlite', 'postgres'], async (world) =>
    world
      .knex('events')
      .where({ id: (await world.anyPublished()).id })
      .update({ seats: 90 + number(world, 30) })
      .returning(['id', 'title']),
  ),
  'events: locked and updated': (world) =>
    world.knex.transaction(async (transaction) => {
      const row = await transaction('events').whereNotNull('published_at').orderBy('id').forUpdate().first('id');
      await transaction('events')
        .where({ id: row?.id })
        .update({ price: number(world, 30), title: world.words() });
    }),
});

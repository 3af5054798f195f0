/** Handlers that write their response themselves: text, headers, cookies. */
const count = (knex) => knex('bo_tasks').where({ status_id: 1 }).count('* as n').first();

module.exports = {
  'json-text': async ({ ctx, knex }) => {
    const { n } = await count(knex);
    ctx.type = 'application/json';
    ctx.body = `{"big":12345678901234567890, "float":1.0,  "n":${n},"exp":1e400}`;
  },
  'json-array': async ({ ctx, knex }) => {
    ctx.type = 'json';
    ctx.body = JSON.stringify(await knex('acts').orderBy('id').pluck('name'), null, 1);
  },
  plain: async ({ ctx, knex }) => {
    ctx.type = 'text/csv';
    ctx.body = (await knex('acts').orderBy('id').select('name', 'rank')).map((row) => Object.values(row)).join('\r\n');
  },
  bytes: async ({ ctx, knex }) => {
    ctx.type = 'application/octet-stream';
    ctx.body = Buffer.from([0, 255, 128, ...(await knex('acts').pluck('rank'))].sort());
  },
  links: async ({ ctx, knex }) => {
    const { n } = await count(knex);
    ctx.append('Link', ['</a>; rel=preload', '</b>; rel=preload']);
    ctx.append('Link', `</tasks/${n}>; rel=next`);
    ctx.set('X-Places', ['loft', 'cellar']);
    ctx.body = { n };
  },
  vary: async ({ ctx, knex }) => {
    ctx.vary('X-Anything');
    ctx.set('Last-Modified', 'Sun, 01 Mar 2026 00:00:00 GMT');
    ctx.body = await count(knex);
  },
  etag: async ({ ctx, knex }) => {
    const { n } = await count(knex);
    ctx.set('ETag', `"tasks-${n}"`);
    ctx.body = { n };
  },
  removed: async ({ ctx, knex }) => {
    ctx.remove('X-Powered-By');
    ctx.remove('Referrer-Policy');
    ctx.body = await count(knex);
  },
  latin: async ({ ctx, knex }) => {
    ctx.set('X-Title', 'Café Müller');
    ctx.body = await count(knex);
  },
  'own-cache-control': async ({ ctx, knex }) => {
    ctx.set('Cache-Control', 'public, max-age=0, must-revalidate');
    ctx.set('Age', '3');
    ctx.body = await count(knex);
  },
  created: async ({ ctx, knex }) => {
    ctx.status = 203;
    ctx.body = await count(knex);
  },
  'late-cookie': async ({ ctx, knex }) => {
    const { writeHead } = ctx.res;
    ctx.res.writeHead = function (...given) {
      this.setHeader('Set-Cookie', 'seen=1; path=/');
      return writeHead.apply(this, given);
    };
    ctx.body = await count(knex);
  },
  'early-cookie': async ({ ctx, knex }) => {
    ctx.set('Set-Cookie', ['a=1', 'b=2']);
    ctx.body = await count(knex);
  },
  'reads-house-header': ({ ctx }) => {
    ctx.body = { house: ctx.get('x-house') || 'none' };
  },
  'reads-language': ({ ctx }) => {
    ctx.body = { language: ctx.acceptsLanguages('en', 'fr') };
  },
  'reads-key': ({ ctx }) => {
    ctx.body = { key: ctx.request.headers['x-api-key'] ?? null };
  },
  'reads-raw': ({ ctx }) => {
    ctx.body = { key: ctx.req.rawHeaders.includes('x-api-key') };
  },
  'reads-host': ({ ctx }) => {
    ctx.body = { self: `${ctx.protocol}://${ctx.host}/` };
  },
  'reads-ip': ({ ctx }) => {
    ctx.body = { ip: ctx.ip, forwarded: ctx.get('x-forwarded-for') };
  },
  'keyed-house': async ({ ctx, knex }) => {
    const row = await knex('houses')
      .where({ slug: ctx.get('x-house') || 'north' })
      .first('name', 'motto');
    ctx.body = row ?? { name: null };
  },
  'keyed-language': async ({ ctx, knex }) => {
    const locale = ctx.acceptsLanguages('en', 'fr') || 'en';
    ctx.body = await knex('events').whereNotNull('published_at').where({ locale }).orderBy('id').pluck('title');
  },
};

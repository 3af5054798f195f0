import { describe, expect, it } from 'vitest';
import { sourcesIn } from '../../../check/sources';

describe('what the text of a handler says that it reads of a request', () => {
  it.each<[code: string, reads: readonly string[]]>([
    ["async find(ctx) { ctx.body = ctx.get('X-Tenant'); }", ['x-tenant']],
    ['(ctx) => ctx.request.get("accept-language")', ['accept-language']],
    ["(ctx) => ctx.request.headers['x-tenant']", ['x-tenant']],
    ["(ctx) => ctx.req.headers?.['x-tenant']", ['x-tenant']],
    ['(ctx) => ctx.headers.referer', ['referer']],
    ['(ctx) => ctx.header.host', ['host']],
    ['(ctx) => log(ctx.headers)', ['*']],
    ['({ request }) => log(Object.keys(request.headers))', ['*']],
    ['(ctx) => { const { headers } = ctx.request; }', ['*']],
    ["(ctx) => { const { 'x-branch': branch } = ctx.request.headers; }", ['*']],
    ['(ctx) => ctx.request.ip', ['remote-address']],
    ["(ctx) => ctx.cookies.get('cart')", ['cookie']],
    ['(ctx) => ctx.hostname', ['host']],
    ['(ctx) => (ctx.fresh ? {} : rows)', ['if-none-match']],
    ["(ctx) => strapi.config.get('x-tenant')", []],
    ["(ctx) => { ctx.set('x-tenant', '1'); }", []],
    ['(ctx) => ctx.response.headers', []],
    ["(ctx) => { ctx.vary('Accept-Language'); ctx.body = ctx.get('accept-language'); }", []],
    ["(ctx) => { ctx.vary(['X-Tenant', 'X-Shop']); ctx.body = ctx.get('x-shop') + ctx.get('x-tenant'); }", []],
    ["(ctx) => { ctx.append('Vary', 'X-Tenant'); ctx.body = ctx.get('x-tenant') + ctx.get('x-shop'); }", ['x-shop']],
    ["(ctx) => { ctx.vary('Cookie'); ctx.body = ctx.cookies.get('cart'); }", ['cookie']],
    ["(ctx) => { // ctx.get('x-tenant')\n }", []],
    ["(ctx) => { /* ctx.get('x-tenant') */ }", []],
  ])('%s', (code, reads) => {
    expect(sourcesIn(code).reads).toEqual(reads);
  });
});

describe('what the text of a handler says that it may answer from', () => {
  it.each<[code: string, unobserved: readonly string[]]>([
    ["async () => fetch('https://example.com')", ['another server']],
    ["async () => axios.get('https://example.com')", ['another server']],
    ["() => fs.promises.readFile('x')", ['files']],
    ['() => Date.now()', ['the time']],
    ['() => new Date()', ['the time']],
    ['(ctx) => new Date(ctx.query.day)', []],
    ['() => Math.random()', ['chance']],
    ["() => strapi.documents('api::a.a').findMany()", []],
  ])('%s', (code, unobserved) => {
    expect(sourcesIn(code).unobserved).toEqual(unobserved);
  });
});

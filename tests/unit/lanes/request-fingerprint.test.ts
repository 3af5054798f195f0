import { describe, expect, it } from 'vitest';
import { RequestFingerprints } from '../../../server/src/lanes/request-fingerprint';

type Headers = Readonly<Record<string, string>>;

const fingerprints = new RequestFingerprints({ keyedHeaders: new Set(['accept-language']), variesOnEncoding: false });
const of = (headers: Headers, method = 'GET', target = '/api/articles'): string | undefined =>
  fingerprints.of({ method, rawHeaders: Object.entries(headers).flat() }, target);

const alike: ReadonlyArray<readonly [Headers, Headers]> = [
  [{ 'User-Agent': 'a' }, { 'User-Agent': 'b' }],
  [{ 'If-None-Match': '"a"' }, {}],
  [{ 'Sec-Fetch-Mode': 'cors' }, {}],
  [{ 'Accept-Encoding': 'br' }, { 'Accept-Encoding': 'gzip' }],
  [{ ORIGIN: 'https://a' }, { origin: 'https://a' }],
];

const different: ReadonlyArray<readonly [Headers, Headers]> = [
  [{ Origin: 'https://a' }, { Origin: 'https://b' }],
  [{ Authorization: 'Bearer a' }, { Authorization: 'Bearer b' }],
  [{ Cookie: 'a=1' }, {}],
  [{ 'X-Api-Key': 'a' }, {}],
  [{ 'strapi-response-format': 'v4' }, {}],
];

const leftAlone: readonly Headers[] = [
  { Range: 'bytes=0-1' },
  { 'Content-Length': '2' },
  { 'Transfer-Encoding': 'chunked' },
  { Expect: '100-continue' },
];

describe('the fingerprint of a request', () => {
  it.each(alike)('is the same for %j and %j', (one, other) => {
    expect(of(one)).toBe(of(other));
  });

  it('tells apart by what turns out to matter', () => {
    const keyedHeaders = new Set<string>();
    const learning = new RequestFingerprints({ keyedHeaders, variesOnEncoding: false });
    const fingerprint = (language: string): string | undefined =>
      learning.of({ method: 'GET', rawHeaders: ['Accept-Language', language] }, '/');
    expect(fingerprint('de')).toBe(fingerprint('en'));
    keyedHeaders.add('accept-language');
    expect(fingerprint('de')).not.toBe(fingerprint('en'));
  });

  it.each(different)('tells %j and %j apart', (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it('counts a header that a route is keyed on, whatever it is', () => {
    expect(of({ 'Accept-Language': 'de' })).not.toBe(of({ 'Accept-Language': 'fr' }));
  });

  it('counts Accept-Encoding where something compresses', () => {
    const compressed = new RequestFingerprints({ keyedHeaders: new Set(), variesOnEncoding: true });
    const encoded = (coding: string) => compressed.of({ method: 'GET', rawHeaders: ['Accept-Encoding', coding] }, '/');
    expect(encoded('br')).not.toBe(encoded('gzip'));
  });

  it('tells methods and targets apart', () => {
    expect(of({}, 'HEAD')).not.toBe(of({}));
    expect(of({}, 'GET', '/api/articles?a')).not.toBe(of({}));
  });

  it.each(leftAlone)('leaves a request with %j alone', (headers) => {
    expect(of(headers)).toBeUndefined();
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('leaves %s alone', (method) => {
    expect(of({}, method)).toBeUndefined();
  });

  it('holds no credential', () => {
    expect(of({ Authorization: 'Bearer secret-token', Cookie: 'session=secret-cookie' })).not.toMatch(/secret-/);
  });
});

import { createRequire } from 'node:module';
import type { Core } from '@strapi/strapi';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { requestLog } from '../../../server/src/lanes/request-log';

const require = createRequire(createRequire(import.meta.url).resolve('@strapi/strapi/package.json'));
const { createLogger, winston } = require('@strapi/logger') as typeof import('@strapi/logger');
type Logger = ReturnType<typeof createLogger>;

const LINE = 'GET /api/articles?populate=%2A&x=$1{} (0 ms) 200';

let printed: string[];
const original = Object.getOwnPropertyDescriptor(console, '_stdout');

beforeEach(() => {
  printed = [];
  const stdout = { write: (text: string) => printed.push(text) > 0 };
  Object.defineProperty(console, '_stdout', { configurable: true, value: stdout });
  vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00.123Z'), toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
  if (original === undefined) Reflect.deleteProperty(console, '_stdout');
  else Object.defineProperty(console, '_stdout', original);
});

const applicationWith = (log: Logger, configured: Record<string, unknown> = {}): Core.Strapi =>
  ({ log, config: { get: (path: string) => configured[path] } }) as unknown as Core.Strapi;

/** Returns a function that checks whether a line goes through the logger's own method, as without the plugin. */
const passer = (log: Logger, configured?: Record<string, unknown>): (() => boolean) => {
  const http = vi.spyOn(Object.getPrototypeOf(log) as { http(line: string): unknown }, 'http');
  const write = requestLog(applicationWith(log, configured));
  return () => {
    http.mockClear();
    write(LINE);
    return http.mock.calls.length === 1;
  };
};

it('writes to Strapi’s own logger what that would write itself, without its streams', () => {
  const log = createLogger();
  log.http(LINE);
  const [own] = printed;
  expect(own).toContain(LINE);
  expect(passer(log)()).toBe(false);
  expect(printed).toEqual([own, own]);
});

it('tells the time of each line', () => {
  const write = requestLog(applicationWith(createLogger()));
  write(LINE);
  vi.setSystemTime(new Date('2026-11-20T12:00:01.456Z'));
  write(LINE);
  expect(printed[0]).toContain('12:00:00.123');
  expect(printed[1]).toContain('12:00:01.456');
});

it('leaves a configured logger alone, from config/logger and from config/server', () => {
  expect(passer(createLogger(), { logger: { level: 'http' } })()).toBe(true);
  expect(passer(createLogger(), { 'server.logger.config': {} })()).toBe(true);
});

it.each<[string, (log: Logger) => void]>([
  ['has another level', (log) => (log.level = 'info')],
  ['is silent', (log) => (log.silent = true)],
  [
    'has another transport',
    (log) => log.configure({ transports: [new winston.transports.Console({ level: 'http' })] }),
  ],
  ['has a transport more', (log) => log.add(new winston.transports.Console())],
  ['has a transport that is listened to', (log) => log.transports[0]?.on('logged', () => undefined)],
  ['has another format', (log) => (log.format = winston.format.json())],
])('leaves it to the logger that %s, and notices when one comes to', (_change, change) => {
  const changed = createLogger();
  change(changed);
  expect(passer(changed)()).toBe(true);
  const changing = createLogger();
  const passes = passer(changing);
  expect(passes()).toBe(false);
  change(changing);
  expect(passes()).toBe(true);
});

it('calls a method that somebody has put in its place', () => {
  const log = createLogger();
  const passes = passer(log);
  const replacement = vi.fn();
  log.http = replacement;
  expect(passes()).toBe(false);
  expect(replacement).toHaveBeenCalledWith(LINE);
});

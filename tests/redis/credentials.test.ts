import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../server/src/cache/clock';
import { tag } from '../../server/src/cache/tag';
import { bodyOf, fill } from '../../provider-suite';
import { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { freePort } from '../application/free-port';
import { endedAfterEach } from './ended-after-each';
import { FIRST_LEVEL, GET_TIMEOUT, whenUp } from './instances';
import { missingRedis } from './redis-server';

const SECRET = 'hunter2-very-secret';
const REFUSED = /does not accept the user name or password/;
const UNTRUSTED = /certificate of Redis/;
/** A report of any kind. */
const ANY = /\{/;

describe.skipIf(missingRedis !== undefined)('credentials', () => {
  const { atEnd, open, start } = endedAfterEach();

  /** Everything written to the console while `work` runs, and its results, as text. */
  const listening = async (work: () => Promise<unknown[]>): Promise<string[]> => {
    const heard: unknown[] = [];
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...words) => void heard.push(words)),
    );
    const toErrors = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => heard.push(String(chunk)) > 0);
    try {
      const said = await work();
      return [...said, heard].map((words) => inspect(words, { depth: 12, showHidden: true, maxStringLength: null }));
    } finally {
      for (const spy of spies) spy.mockRestore();
      toErrors.mockRestore();
    }
  };

  /**
   * Everything a provider reveals: to its process, to its callers, and when it is printed. It is asked once it has
   * reported why it is not up; on a busy machine that takes a while.
   */
  const everythingSaid = async (options: Record<string, unknown>, reported: RegExp): Promise<unknown> => {
    const { provider, states } = open(options);
    await vi.waitFor(() => expect(inspect(states, { depth: 4 })).toMatch(reported), { timeout: 20_000 });
    const said: unknown[] = [];
    for (const operation of [
      () => fill(provider, systemClock),
      () => bodyOf(provider),
      () => provider.invalidate([tag('articles')]),
      () => provider.usage(),
      () => provider.clear(),
      () => provider.delete('x' as never),
    ]) {
      try {
        said.push(await operation());
      } catch (error) {
        said.push(error, error instanceof Error && [error.message, error.stack, error.cause, JSON.stringify(error)]);
      }
    }
    return [said, states, provider.health(), provider, JSON.stringify(states)];
  };

  it('are said nowhere: wrong password, no password asked for, nobody there, unknown host', async () => {
    const guarded = await start('--requirepass', 'another one');
    const unguarded = await start();
    const nobody = await freePort();
    const said = await listening(() =>
      Promise.all([
        everythingSaid({ connection: `redis://:${SECRET}@127.0.0.1:${guarded.port}` }, REFUSED),
        everythingSaid({ host: '127.0.0.1', port: guarded.port, username: 'me', password: SECRET }, REFUSED),
        everythingSaid({ connection: `redis://me:${SECRET}@127.0.0.1:${unguarded.port}/0` }, REFUSED),
        everythingSaid({ connection: `redis://me:${SECRET}@127.0.0.1:${nobody}` }, ANY),
        everythingSaid({ connection: `rediss://me:${SECRET}@127.0.0.1:${unguarded.port}` }, ANY),
        everythingSaid(
          {
            cluster: { nodes: [{ host: '127.0.0.1', port: nobody }], options: { redisOptions: { password: SECRET } } },
          },
          ANY,
        ),
        everythingSaid(
          {
            sentinels: [{ host: '127.0.0.1', port: nobody }],
            name: 'main',
            sentinelPassword: SECRET,
            password: SECRET,
          },
          ANY,
        ),
      ]),
    );
    for (const words of said) expect(words).not.toContain(SECRET);
    expect(said[0]).toMatch(REFUSED);
  });

  it('are not in the messages about options', () => {
    const url = `redis://me:${SECRET}@host`;
    for (const options of [
      { connection: `http://me:${SECRET}@host` },
      { connection: `${SECRET}` },
      { connection: { url } },
      { conection: url },
      { connection: url, host: SECRET },
      { connection: { host: 'a', keyPrefix: `{${SECRET}}` } },
      { cluster: { nodes: [`ftp://${SECRET}`] } },
      { password: SECRET, port: SECRET },
      { db: SECRET },
      { keyPrefix: `{${SECRET}}` },
      { localCache: { mode: SECRET } },
    ]) {
      let message = '';
      try {
        new RedisProvider(
          options,
          { keysPrefix: '', fingerprint: '', database: '', getTimeout: GET_TIMEOUT, events: {} },
          systemClock,
        );
      } catch (error) {
        message = inspect(error);
      }
      expect(message).toContain('provider.options');
      expect(message).not.toContain(SECRET);
    }
  });

  it('work: an ACL user that may touch its own keys only', async () => {
    const server = await start();
    const rules = ['on', `>${SECRET}`, 'resetkeys', '~shop:*', 'resetchannels', '-@all', '+@read', '+@write'];
    const more = ['+@scripting', '+@connection', '+info', '+time', '+@keyspace', '-@dangerous', '+info'];
    await server.command('ACL', 'SETUSER', 'app', ...rules, ...more);
    const { provider, states } = open({
      connection: `redis://app:${SECRET}@127.0.0.1:${server.port}`,
      keyPrefix: 'shop:',
      ...FIRST_LEVEL,
    });
    await whenUp(provider);
    expect(await fill(provider, systemClock)).toBe(true);
    expect(await bodyOf(provider)).toBeDefined();
    await provider.invalidate([tag('articles')]);
    expect(await bodyOf(provider)).toBeUndefined();
    await provider.clear();
    expect(states.map(({ state }) => state)).toEqual(['up']);
  });

  it('of a user who may not run a command in a script: the reason says so', async () => {
    const server = await start();
    await server.command('ACL', 'SETUSER', 'app', 'on', `>${SECRET}`, '~*', '&*', '+@all', '-unlink');
    const { provider } = open({ connection: `redis://app:${SECRET}@127.0.0.1:${server.port}` });
    await expect.poll(() => provider.health().reason, { timeout: 20_000 }).toContain('lacks a permission');
  });

  it('work without INFO: every new connection then starts over, because the data may be of another server', async () => {
    const server = await start();
    await server.command('ACL', 'SETUSER', 'app', 'on', `>${SECRET}`, '~*', '&*', '+@all', '-info');
    const options = { connection: `redis://app:${SECRET}@127.0.0.1:${server.port}` };
    const first = open(options);
    await whenUp(first.provider);
    await fill(first.provider, systemClock);
    expect(await bodyOf(first.provider)).toBeDefined();
    const second = open(options);
    await whenUp(second.provider);
    expect(await bodyOf(second.provider)).toBeUndefined();
  });

  /** Starts a Redis that speaks TLS, with a certificate that only those trust who are given it. */
  const startWithTls = async (): Promise<{ readonly port: number; readonly ca: Buffer }> => {
    const directory = mkdtempSync(join(tmpdir(), 'rest-cache-tls-'));
    atEnd(() => rmSync(directory, { recursive: true, force: true }));
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const request = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost';
    const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    execFileSync('openssl', [...request.split(' '), ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const tlsPort = await freePort();
    const tls = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    await start('--tls-port', String(tlsPort), ...tls, '--requirepass', SECRET);
    return { port: tlsPort, ca: readFileSync(cert) };
  };

  it('work over TLS', async () => {
    const { port, ca } = await startWithTls();
    const { provider } = open({ host: '127.0.0.1', port, password: SECRET, tls: { ca } });
    await whenUp(provider);
    expect(await fill(provider, systemClock)).toBe(true);
    expect(await bodyOf(provider)).toBeDefined();
    const untrusting = (
      await listening(async () => [
        await everythingSaid({ connection: `rediss://:${SECRET}@127.0.0.1:${port}` }, UNTRUSTED),
      ])
    ).join();
    expect(untrusting).toMatch(UNTRUSTED);
    expect(untrusting).not.toContain(SECRET);
  });

  it('over TLS: no process ends, whenever a connection is given up whose certificate is refused', async () => {
    const { port } = await startWithTls();
    const uncaught: Error[] = [];
    const note = (error: Error): void => void uncaught.push(error);
    process.on('uncaughtException', note);
    atEnd(() => void process.off('uncaughtException', note));
    // Each connection is given up at another moment of its handshake.
    for (let pause = 0; pause < 30; pause += 0.2) {
      const { provider } = open({ connection: `rediss://:${SECRET}@127.0.0.1:${port}` });
      await delay(pause);
      await provider.close();
    }
    expect(uncaught).toEqual([]);
  });
});

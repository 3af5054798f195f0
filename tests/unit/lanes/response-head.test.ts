import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ResponseHead } from '../../../server/src/lanes/response-head';

let server: http.Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Sends these texts over one connection, one after the other, and returns the responses as they arrive. */
const exchange = async (
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  requests: readonly string[],
): Promise<string[]> => {
  server = http.createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answers: string[] = [];
  const socket = net.connect(port, '127.0.0.1');
  for (const request of requests) {
    socket.write(request);
    answers.push(
      await new Promise<string>((resolve) => {
        let text = '';
        const collect = (chunk: Buffer): void => {
          text += chunk.toString();
          if (!text.endsWith('{}') && !text.includes('304')) return;
          socket.off('data', collect);
          resolve(text);
        };
        socket.on('data', collect);
      }),
    );
  }
  socket.destroy();
  return answers;
};

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const HEADERS = ['Content-Type', 'application/json', 'X-Twice', 'a', 'X-Twice', 'b', 'Content-Length', '2'];
const undated = (text: string): string => text.replace(/Date: [^\r]*/, 'Date');

describe('a head that is sent again', () => {
  it('is the same to the byte, on this Node version', async () => {
    const headers = [...HEADERS];
    const head = new ResponseHead(200, headers);
    const answers = await exchange(
      (_request, response) => {
        head.write(response);
        response.end(Buffer.from('{}'));
        headers.push('X-Later', 'too late');
      },
      [GET, GET],
    );
    expect(answers[1]).toBe(answers[0]);
  });

  it('is what Node makes itself, on a connection that stays open', async () => {
    const head = new ResponseHead(200, HEADERS);
    let count = 0;
    const answers = await exchange(
      (_request, response) => {
        count += 1;
        if (count === 1) response.writeHead(200, [...HEADERS]);
        else head.write(response);
        response.end(Buffer.from('{}'));
      },
      [GET, GET, GET, GET],
    );
    for (const answer of answers) expect(undated(answer)).toBe(undated(answers[0] ?? ''));
  });

  it('tells observers the status', async () => {
    const head = new ResponseHead(304, ['ETag', '"x"']);
    const seen: unknown[] = [];
    await exchange(
      (_request, response) => {
        response.on('finish', () => seen.push([response.statusCode, response.statusMessage, response.headersSent]));
        head.write(response);
        response.end();
      },
      [GET, GET, GET],
    );
    expect(seen).toEqual([
      [304, 'Not Modified', true],
      [304, 'Not Modified', true],
      [304, 'Not Modified', true],
    ]);
  });

  it('is made anew for a connection that closes, and for a response that somebody has given a header', async () => {
    const head = new ResponseHead(200, HEADERS);
    let count = 0;
    const answers = await exchange(
      (_request, response) => {
        count += 1;
        if (count === 3) response.setHeader('X-Own', 'kept');
        head.write(response);
        response.end(Buffer.from('{}'));
      },
      [GET, GET, GET, GET, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    );
    expect(answers.map((answer) => /x-own/i.test(answer))).toEqual([false, false, true, false, false]);
    expect(answers.map((answer) => answer.includes('Connection: close'))).toEqual([false, false, false, false, true]);
  });

  it("is Node's own where somebody has replaced writeHead", async () => {
    const head = new ResponseHead(200, HEADERS);
    let called = 0;
    await exchange(
      (_request, response) => {
        const { writeHead } = response;
        response.writeHead = ((...args: Parameters<typeof writeHead>) => {
          called += 1;
          return writeHead.apply(response, args);
        }) as typeof writeHead;
        head.write(response);
        response.end(Buffer.from('{}'));
      },
      [GET, GET, GET],
    );
    expect(called).toBe(3);
  });
});

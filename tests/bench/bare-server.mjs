/**
 * What the machine can do at all: Koa, or node:http alone, sending ready Buffers with ready headers.
 * Arguments: `koa` or `http`, and the file that names the responses by their path. Says which port it listens on.
 */

import { readFileSync } from 'node:fs';
import http from 'node:http';
import Koa from 'koa';

const [kind, file] = process.argv.slice(2);
const responses = new Map(
  Object.entries(JSON.parse(readFileSync(file, 'utf8'))).map(([path, { headers, notModified, etag, body }]) => [
    path,
    { headers, notModified, etag, body: Buffer.from(body, 'base64') },
  ]),
);

const koa = () => {
  const app = new Koa();
  app.use((ctx) => {
    const found = responses.get(ctx.url);
    if (found === undefined) return;
    if (found.etag !== undefined && ctx.get('If-None-Match') === found.etag) {
      ctx.status = 304;
      ctx.set(found.notModified);
      return;
    }
    ctx.status = 200;
    ctx.set(found.headers);
    ctx.body = found.body;
  });
  return app.callback();
};

const plain = () => (request, response) => {
  const found = responses.get(request.url);
  if (found === undefined) {
    response.writeHead(404).end();
  } else if (found.etag !== undefined && request.headers['if-none-match'] === found.etag) {
    response.writeHead(304, found.notModified).end();
  } else {
    response.writeHead(200, { ...found.headers, 'Content-Length': found.body.byteLength }).end(found.body);
  }
};

const server = http.createServer(kind === 'koa' ? koa() : plain());
server.listen(0, '127.0.0.1', () => process.send?.({ ready: server.address().port }));

const usage = () => {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system };
};
process.on('message', ({ id }) => process.send({ id, answer: usage() }));
process.on('disconnect', () => process.exit(0));

/** Koa or node:http alone send ready Buffers with ready headers: the most that a machine can do. */

import { readFileSync } from 'node:fs';
import Koa from 'koa';

const responsesOf = (file) =>
  new Map(
    Object.entries(JSON.parse(readFileSync(file, 'utf8'))).map(([path, { headers, notModified, etag, body }]) => [
      path,
      { headers, notModified, etag, body: Buffer.from(body, 'base64') },
    ]),
  );

const koa = (responses) => {
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

const plain = (responses) => (request, response) => {
  const found = responses.get(request.url);
  if (found === undefined) {
    response.writeHead(404).end();
  } else if (found.etag !== undefined && request.headers['if-none-match'] === found.etag) {
    response.writeHead(304, found.notModified).end();
  } else {
    response.writeHead(200, { ...found.headers, 'Content-Length': found.body.byteLength }).end(found.body);
  }
};

/**
 * The request listener for `koa` or `http`.
 *
 * @param file JSON with the responses by their path.
 */
export const bareHandler = (kind, file) => (kind === 'koa' ? koa : plain)(responsesOf(file));

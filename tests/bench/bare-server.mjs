/**
 * The most that a machine can do: Koa or node:http alone send ready Buffers with ready headers. The arguments are `koa`
 * or `http`, and a file with the responses by their path. Sends `{ ready: port }` to its parent.
 */

import http from 'node:http';
import { bareHandler } from './bare-handlers.mjs';

const [kind, file] = process.argv.slice(2);
const server = http.createServer(bareHandler(kind, file));
server.listen(0, '127.0.0.1', () => process.send?.({ ready: server.address().port }));

const usage = () => {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system };
};
process.on('message', ({ id }) => process.send({ id, answer: usage() }));
process.on('disconnect', () => process.exit(0));

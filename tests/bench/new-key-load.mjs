/**
 * Asks for so many new keys over a few connections whenever told to, and says when all answers are in; a process of its
 * own, so that it can be bound to a core.
 */

import http from 'node:http';

const CONNECTIONS = 4;
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const salt = `${process.pid}x${Date.now() % 1_000_000}`;
let asked = 0;

const ask = (url) =>
  new Promise((resolve, reject) => {
    const request = http.get(`${url}&unique=${salt}x${(asked += 1)}`, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answers ${response.statusCode}`));
      response.resume().once('end', resolve);
    });
    request.once('error', (error) => {
      // A server may close a connection that had nothing to do since its last turn, at the very moment it is used again.
      if (request.reusedSocket && error.code === 'ECONNRESET') ask(url).then(resolve, reject);
      else reject(error);
    });
  });

process.on('message', async ({ id, url, requests }) => {
  let left = requests;
  const connection = async () => {
    while ((left -= 1) >= 0) await ask(url);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  process.send({ id });
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: 0 });

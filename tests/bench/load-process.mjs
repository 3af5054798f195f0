/**
 * Sends requests to a server over connections of its own, and reports when all responses have arrived. It is a process
 * of its own, so that it can be bound to a core. Requests are sent in bursts, one on each connection, and the next
 * burst follows when all responses have arrived. So the number of requests that a server finds waiting, and with it the
 * cost of each, does not depend on how fast this process is or whether it is delayed.
 *
 * It reads just enough of HTTP/1.1 to find the end of a response, because sending requests must not cost more than
 * answering them.
 */

import net from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = '0\r\n\r\n';
/** Shared by all connections. Its content is processed before the next read. */
const buffer = Buffer.alloc(1 << 20);
const salt = `${process.pid}x${Date.now() % 1_000_000}`;
let asked = 0;

class Connection {
  #socket;
  #answered;
  #failed;
  /**
   * The state of the response that is being read: the beginning of an incomplete head, and the remaining bytes of the
   * body.
   */
  #head = Buffer.alloc(0);
  #left = -1;
  #tail;
  #status = 0;

  static open(port) {
    const connection = new Connection();
    return new Promise((resolve, reject) => {
      connection.#failed = reject;
      connection.#socket = net.connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: { buffer, callback: (count) => connection.#read(buffer.subarray(0, count)) ?? true },
      });
      connection.#socket.once('connect', () => resolve(connection));
      connection.#socket.on('error', (error) => connection.#failed(error));
      connection.#socket.on('close', () => connection.#failed(new Error(`port ${port} closed a connection`)));
    });
  }

  /** Calls `answered` with the status when the response is complete, and `failed` if there is none. */
  ask(request, answered, failed) {
    this.#answered = answered;
    this.#failed = failed;
    this.#socket.write(request);
  }

  close() {
    this.#failed = () => undefined;
    this.#socket.destroy();
  }

  #read(bytes) {
    if (this.#left < 0) {
      const all = this.#head.byteLength === 0 ? bytes : Buffer.concat([this.#head, bytes]);
      const end = all.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = Buffer.from(all);
        return;
      }
      this.#head = this.#head.subarray(0, 0);
      const head = all.latin1Slice(0, end);
      this.#status = Number(head.slice(9, 12));
      this.#tail = /\r\ntransfer-encoding: chunked/i.test(head) ? '' : undefined;
      this.#left =
        this.#tail === undefined ? Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) : Number.POSITIVE_INFINITY;
      bytes = all.subarray(end + HEAD_END.byteLength);
    }
    if (this.#tail === undefined) this.#left -= bytes.byteLength;
    else {
      this.#tail = (this.#tail + bytes.latin1Slice(Math.max(0, bytes.byteLength - 5))).slice(-LAST_CHUNK.length);
      if (this.#tail === LAST_CHUNK) this.#left = 0;
    }
    if (this.#left > 0) return;
    this.#left = -1;
    this.#answered(this.#status);
  }
}

/** The requests to send over the open connections. */
let settings;
let connections = [];

const requestOf = (path) => {
  const { port, headers = {} } = settings;
  const fields = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
};

const requests = () => {
  const { paths, unique } = settings;
  if (unique) return (index) => requestOf(`${paths[index % paths.length]}&unique=${salt}x${(asked += 1)}`);
  const ready = paths.map(requestOf);
  return (index) => ready[index % ready.length];
};

const burst = (count, first, next) =>
  new Promise((resolve, reject) => {
    let open = count;
    const answered = (status) => {
      if (status >= 400) reject(new Error(`${settings.paths.join(' ')} answers ${status}`));
      else if ((open -= 1) === 0) resolve();
    };
    for (let index = 0; index < count; index += 1) connections[index].ask(next(first + index), answered, reject);
  });

/** For `count` requests at a constant rate: the milliseconds from when each was due until it was answered. */
const latencies = async (count, rate, next) => {
  const free = [...connections];
  const waiting = [];
  const measured = [];
  const startedAt = performance.now();
  await new Promise((resolve, reject) => {
    const send = () => {
      while (free.length > 0 && waiting.length > 0) {
        const connection = free.pop();
        const due = waiting.shift();
        const answered = () => {
          measured.push(performance.now() - due);
          free.push(connection);
          if (measured.length === count) resolve();
          else send();
        };
        connection.ask(next(measured.length), answered, reject);
      }
    };
    let planned = 0;
    const timer = setInterval(() => {
      for (; planned < count && startedAt + (planned * 1000) / rate <= performance.now(); planned += 1)
        waiting.push(startedAt + (planned * 1000) / rate);
      if (planned === count) clearInterval(timer);
      send();
    }, 1);
  });
  return measured;
};

const answers = {
  open: async (given) => {
    settings = given;
    connections = await Promise.all(Array.from({ length: given.connections }, () => Connection.open(given.port)));
  },
  ask: async (count) => {
    const next = requests();
    for (let sent = 0; sent < count; sent += connections.length)
      await burst(Math.min(connections.length, count - sent), sent, next);
  },
  latencies: ({ count, rate }) => latencies(count, rate, requests()),
  close: () => {
    for (const connection of connections) connection.close();
    connections = [];
  },
};

process.on('message', async ({ id, ask, about }) => {
  try {
    process.send({ id, answer: await answers[ask](about) });
  } catch (error) {
    process.send({ id, error: error.message });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: 0 });

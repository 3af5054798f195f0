import http from 'node:http';

/** A response as a client receives it, byte by byte. */
export interface Answer {
  readonly status: number;
  /** One character for each byte. */
  readonly body: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly cache: string | null;
}

/** The Host header of all requests. It is the same for both applications, whatever their ports. */
const HOST = 'tickets.example';

/**
 * Sends GETs over keep-alive connections. Response headers are kept as they were sent: repeated ones separately, and
 * with their exact bytes.
 */
export class Browser {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

  constructor(readonly origin: string) {}

  /** Sends the request, and repeats it if the server was just closing the idle connection. */
  async get(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await this.#once(path, headers);
      if (answer !== 'closed') return answer;
    }
    throw new Error(`${this.origin}${path} closes the connection instead of answering`);
  }

  #once(path: string, headers: Readonly<Record<string, string>>): Promise<Answer | 'closed'> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, headers: { host: HOST, ...headers } };
      const request = http.get(this.origin + path, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const cache = response.headers['x-cache'];
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString('latin1'),
            headers: pairs(response.rawHeaders),
            cache: typeof cache === 'string' ? cache : null,
          });
        });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') resolve('closed');
        else reject(error);
      });
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const pairs = (raw: readonly string[]): Array<readonly [string, string]> =>
  Array.from({ length: raw.length / 2 }, (_, index) => [
    (raw[2 * index] ?? '').toLowerCase(),
    raw[2 * index + 1] ?? '',
  ]);

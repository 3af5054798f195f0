import http from 'node:http';

/** What a client receives, byte by byte. */
export interface Answer {
  readonly status: number;
  /** One character for each byte. */
  readonly body: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly cache: string | null;
}

/** Both applications are asked by one name, whatever their ports. */
const HOST = 'tickets.example';

/** GETs over connections that stay open. Headers are kept as they were sent: several of one name, and their bytes. */
export class Browser {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

  constructor(readonly origin: string) {}

  /** Asked again where the server closed an idle connection just then. */
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

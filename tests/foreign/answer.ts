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

/** What to ask: a GET, or a POST of a JSON body. */
export interface Question {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Sends requests over keep-alive connections. Response headers are kept as they were sent: repeated ones separately, and
 * with their exact bytes.
 */
export class Browser {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

  constructor(readonly origin: string) {}

  /** Sends the request, and repeats it if the server was just closing the idle connection. */
  async ask(question: Question): Promise<Answer> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await this.#once(question);
      if (answer !== 'closed') return answer;
    }
    throw new Error(`${this.origin}${question.path} closes the connection instead of answering`);
  }

  #once({ path, headers, body }: Question): Promise<Answer | 'closed'> {
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const ofBody = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = { agent: this.#agent, method, headers: { host: HOST, ...ofBody, ...headers } };
      const request = http.request(this.origin + path, options, (response) => {
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
      request.end(body);
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

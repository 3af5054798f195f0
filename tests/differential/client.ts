import http from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly cache: string | null;
  readonly body: string;
}

/** Sends GETs over keep-alive connections. An HTTP client whose own cost is negligible beside the cache's. */
export class Client {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const request = http.get(this.#origin + path, { agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const cache = response.headers['x-cache'];
          resolve({
            status: response.statusCode ?? 0,
            cache: typeof cache === 'string' ? cache : null,
            body: Buffer.concat(chunks).toString(),
          });
        });
      });
      request.on('error', reject);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly statusMessage: string;
  /** Name, value, name, value …: each header line as it was received, its bytes as Latin-1. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a request exactly as it is spelled: unlike with `fetch`, no headers are added, the target is not normalised and
 * the body is not decompressed. It is sent again if the server was just closing the idle connection.
 */
export const rawRequest = (
  application: { readonly origin: string },
  target: string,
  asked: RawRequest = {},
): Promise<RawResponse> => {
  const { method = 'GET', headers = {}, body } = asked;
  const { hostname, port } = new URL(application.origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers: { ...headers }, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          statusMessage: response.statusMessage ?? '',
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isClosing = sent.reusedSocket && error.code === 'ECONNRESET';
      if (isClosing) rawRequest(application, target, asked).then(resolve, reject);
      else reject(error);
    });
    sent.end(body);
  });
};

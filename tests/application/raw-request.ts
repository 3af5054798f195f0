import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const agent = new Agent({ keepAlive: true });

/**
 * A request exactly as it is spelled: unlike `fetch`, nothing is added, the target is not normalised and the body is
 * not decompressed.
 */
export const rawRequest = (
  { origin }: { readonly origin: string },
  target: string,
  { method = 'GET', headers = {} }: RawRequest = {},
): Promise<RawResponse> => {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers: { ...headers }, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
};

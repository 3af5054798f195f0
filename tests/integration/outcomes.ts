import { rawRequest, type RawResponse } from '../application/raw-request';

interface Server {
  readonly origin: string;
}
type Headers = Readonly<Record<string, string>>;

/** The `X-Cache` of requests that are repeated. */
export const STORED = ['MISS', 'HIT', 'HIT'];
export const NEVER_STORED = ['MISS', 'MISS', 'MISS'];

/**
 * The responses to a GET that is repeated. In the front lane, each comes from another place: the origin, the route lane,
 * the front lane.
 */
export const thrice = async (
  server: Server,
  path: string,
  headers: Headers = {},
): Promise<[RawResponse, RawResponse, RawResponse]> => [
  await rawRequest(server, path, { headers }),
  await rawRequest(server, path, { headers }),
  await rawRequest(server, path, { headers }),
];

/** The `X-Cache` of a GET that is repeated. */
export const outcomes = async (
  server: Server,
  path: string,
  headers: Headers = {},
  times = 3,
): Promise<Array<string | string[] | undefined>> => {
  const seen: Array<string | string[] | undefined> = [];
  for (let time = 0; time < times; time += 1)
    seen.push((await rawRequest(server, path, { headers })).headers['x-cache']);
  return seen;
};

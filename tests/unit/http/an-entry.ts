import type { EpochMilliseconds } from '../../../server/src/cache/clock';
import type { Entry, StoredResponse } from '../../../server/src/cache/entry';
import { milliseconds } from '../../../server/src/cache/milliseconds';

interface Told {
  readonly createdAt: number;
  readonly maxAge: number;
  readonly headers?: StoredResponse['headers'];
}

/** The parts of an entry that rules about its age use. */
export const anEntry = ({
  createdAt,
  maxAge,
  headers = [],
}: Told): Pick<Entry, 'createdAt' | 'maxAge' | 'response'> => ({
  createdAt: createdAt as EpochMilliseconds,
  maxAge: milliseconds(maxAge),
  response: { status: 200, headers, body: Buffer.from('{}'), etag: undefined },
});

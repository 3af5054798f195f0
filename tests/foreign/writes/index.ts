import type { Kind } from '../world';
import { callerWrites } from './callers';
import { contentWrites } from './content';
import { graphqlWrites } from './graphql';
import { httpWrites } from './over-http';
import { ownTableWrites } from './own-tables';

/** Every kind of write. The driver goes through all of them repeatedly, in a different order each time. */
export const allWrites: readonly Kind[] = [
  ...contentWrites,
  ...callerWrites,
  ...httpWrites,
  ...graphqlWrites,
  ...ownTableWrites,
];

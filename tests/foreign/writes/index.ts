import type { Kind } from '../world';
import { callerWrites } from './callers';
import { contentWrites } from './content';
import { httpWrites } from './over-http';
import { ownTableWrites } from './own-tables';

/** Every kind of write. The driver goes through all of them, in an order of its own each time. */
export const allWrites: readonly Kind[] = [...contentWrites, ...callerWrites, ...httpWrites, ...ownTableWrites];

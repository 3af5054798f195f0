import type { PolicyContext } from './may-read-metrics';

/** Lets in callers who presented a credential, and nobody who is only what the Public role is. */
export default ({ state }: PolicyContext): boolean =>
  state.auth?.credentials !== undefined && state.auth.credentials !== null;

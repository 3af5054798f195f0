/** Reasons with a text of their own. One that another release of the plugin has counted is shown in the server's words. */
export const KNOWN_REASONS = [
  ...['alone', 'body', 'cache-control', 'caller', 'changed', 'client-left', 'cookie', 'credentials', 'errors'],
  ...['evicted', 'expired', 'first', 'function', 'function-failed', 'gone', 'guarded', 'head', 'header', 'hooks'],
  ...['http2', 'new-value', 'no-body', 'no-identity', 'no-reads', 'no-room', 'not-granted', 'operation', 'other'],
  ...['own-answer', 'parameter', 'reads', 'request-cache-control', 'session', 'slow', 'sources', 'status'],
  ...[
    'status-message',
    'store-away',
    'strategy',
    'stream',
    'thrown',
    'unkept',
    'unknown-caller',
    'unserialisable',
    'vary',
    'wrote',
  ],
] as const;

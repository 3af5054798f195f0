import type { ServerResponse } from 'node:http';

/** Of which Node says in `_hasBody` whether it may have one; missing from its type definitions. */
type WithBody = ServerResponse & { _hasBody?: boolean };

/** Notes a response as it is, to be given to somebody else after an attempt to answer it that has failed. */
export const rememberResponse = (response: ServerResponse): (() => void) => {
  const names = new Set(response.getHeaderNames());
  const { statusCode, statusMessage } = response;
  const hasBody = (response as WithBody)._hasBody;
  return () => {
    for (const name of response.getHeaderNames()) if (!names.has(name)) response.removeHeader(name);
    response.statusCode = statusCode;
    response.statusMessage = statusMessage;
    if (hasBody !== undefined) (response as WithBody)._hasBody = hasBody;
  };
};

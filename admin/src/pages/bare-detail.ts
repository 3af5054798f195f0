/** The server's English around what a reason names: it writes whole sentences, for headers and the log. */
const FRAMES: readonly RegExp[] = [
  /^(?:throws|status|request) (.*)$/s,
  /^reads the parameter (.*), not in keys\.useQueryParams$/s,
  /^sees parameters that are not in the key: (.*) could not be changed$/s,
  /^(?:reads|may show) (.*?) of the request, .*$/s,
  /^an authentication strategy reads (.*), not in the key$/s,
  /^replaces (.*), so its answer is not final$/s,
  /^(.*) has policies or middlewares$/s,
  /^(.*) set by the handler$/s,
];

/** What a reason names, without the English around it: `ValidationError (400)`, `404`, `x-shop`. */
export const bareDetail = (detail: string): string => {
  for (const frame of FRAMES) {
    const named = frame.exec(detail)?.[1];
    if (named !== undefined) return named;
  }
  return detail;
};

/** Functions of the application without the English possessive: `policy global::is-owner`. */
export const bareFunctions = (functions: string): string => functions.replace(/\bits /g, '');

/** One run of autocannon in a process of its own, so that it can be bound to a core. Prints a `LoadResult`. */

import autocannon from 'autocannon';

const { url, seconds, headers, connections, unique, rate, salt } = JSON.parse(process.argv[2]);
const { pathname, search } = new URL(url);
let count = 0;

const result = await autocannon({
  url,
  duration: seconds,
  connections,
  headers,
  ...(rate === undefined ? {} : { overallRate: rate }),
  ...(unique
    ? {
        requests: [
          { setupRequest: (request) => ({ ...request, path: `${pathname}${search}&unique=${salt}x${(count += 1)}` }) },
        ],
      }
    : {}),
});

console.log(
  JSON.stringify({
    requests: result.requests.total,
    perSecond: result.requests.total / result.duration,
    errors: result.errors + result['4xx'] + result['5xx'],
    latency: { p50: result.latency.p50, p99: result.latency.p99 },
  }),
);

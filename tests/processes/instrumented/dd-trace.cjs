/** Datadog's tracer, loaded as with `--require dd-trace/init`. There is no agent; the spans are kept for the test. */
/* eslint-disable @typescript-eslint/no-require-imports -- loaded before everything, as CommonJS */
Object.assign(process.env, {
  DD_TRACE_STARTUP_LOGS: 'false',
  DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
  DD_REMOTE_CONFIGURATION_ENABLED: 'false',
});
require('dd-trace/init');
const spans = [];
require('dd-trace')._tracer._exporter.export = (ended) => spans.push(...ended);

const SERVED = ['koa.request', 'web.request'];
globalThis.seenByTracer = async () => ({
  requests: spans.filter(({ name }) => SERVED.includes(name)).map(({ meta }) => Number(meta['http.status_code'])),
  scopes: [...new Set(spans.map(({ name }) => name))],
});

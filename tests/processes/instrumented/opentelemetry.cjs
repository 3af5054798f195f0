/** OpenTelemetry as its documentation has it loaded, `node --require`; what it sees is kept for the test to ask for. */
/* eslint-disable @typescript-eslint/no-require-imports -- loaded before everything, as CommonJS */
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { IORedisInstrumentation } = require('@opentelemetry/instrumentation-ioredis');
const { KnexInstrumentation } = require('@opentelemetry/instrumentation-knex');
const { KoaInstrumentation } = require('@opentelemetry/instrumentation-koa');
const {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} = require('@opentelemetry/sdk-metrics');
const { NodeSDK } = require('@opentelemetry/sdk-node');
const { InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');

const SERVER = 1;
const spans = new InMemorySpanExporter();
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
new NodeSDK({
  spanProcessors: [new SimpleSpanProcessor(spans)],
  metricReaders: [reader],
  instrumentations: [
    new HttpInstrumentation(),
    new KoaInstrumentation(),
    new KnexInstrumentation(),
    new IORedisInstrumentation(),
  ],
}).start();

globalThis.seenByTracer = async () => {
  await reader.forceFlush();
  const durations = metrics
    .getMetrics()
    .at(-1)
    .scopeMetrics.flatMap((scope) => scope.metrics)
    .find(({ descriptor }) => /^http\.server\..*duration$/.test(descriptor.name));
  const served = spans.getFinishedSpans().filter(({ kind }) => kind === SERVER);
  return {
    requests: served.map(({ attributes }) =>
      Number(attributes['http.response.status_code'] ?? attributes['http.status_code']),
    ),
    measured: durations?.dataPoints.reduce((sum, { value }) => sum + value.count, 0) ?? 0,
    scopes: [...new Set(spans.getFinishedSpans().map(({ instrumentationScope }) => instrumentationScope.name))],
  };
};

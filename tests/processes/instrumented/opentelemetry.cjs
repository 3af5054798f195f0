/**
 * OpenTelemetry, loaded with `node --require` as its documentation says, from the parts of its NodeSDK: the SDK itself
 * depends on sixty packages of exporters. Spans and metrics are kept for the test.
 */
/* eslint-disable @typescript-eslint/no-require-imports -- loaded before everything, as CommonJS */
const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { IORedisInstrumentation } = require('@opentelemetry/instrumentation-ioredis');
const { KnexInstrumentation } = require('@opentelemetry/instrumentation-knex');
const { KoaInstrumentation } = require('@opentelemetry/instrumentation-koa');
const {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} = require('@opentelemetry/sdk-metrics');
const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-node');

const SERVER = 1;
const spans = new InMemorySpanExporter();
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
tracerProvider.register();
registerInstrumentations({
  tracerProvider,
  meterProvider: new MeterProvider({ readers: [reader] }),
  instrumentations: [
    new HttpInstrumentation(),
    new KoaInstrumentation(),
    new KnexInstrumentation(),
    new IORedisInstrumentation(),
  ],
});

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

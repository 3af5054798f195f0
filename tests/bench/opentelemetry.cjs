/** OpenTelemetry, loaded as its documentation says. Its spans are not exported. */
/* eslint-disable @typescript-eslint/no-require-imports -- loaded before everything, as CommonJS */
const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { KnexInstrumentation } = require('@opentelemetry/instrumentation-knex');
const { KoaInstrumentation } = require('@opentelemetry/instrumentation-koa');
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');

const tracerProvider = new NodeTracerProvider();
tracerProvider.register();
registerInstrumentations({
  tracerProvider,
  instrumentations: [new HttpInstrumentation(), new KoaInstrumentation(), new KnexInstrumentation()],
});

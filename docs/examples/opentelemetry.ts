// src/index.ts
import { subscribe } from 'node:diagnostics_channel';
import { metrics, trace } from '@opentelemetry/api';

const requests = metrics.getMeter('rest-cache').createCounter('rest_cache.requests');

export default {
  register() {
    subscribe('rest-cache:lookup', (message) => {
      const { outcome, contentType, route, detail } = message as {
        outcome: string;
        contentType: string;
        route: string;
        detail?: string;
      };
      requests.add(1, { outcome, 'content.type': contentType });
      trace
        .getActiveSpan()
        ?.setAttributes({ 'rest_cache.outcome': outcome, 'http.route': route, 'rest_cache.detail': detail });
    });
  },
};

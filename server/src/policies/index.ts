import mayReadMetrics from './may-read-metrics';

export default { 'may-read-metrics': mayReadMetrics };

import hasCredentials from './has-credentials';
import mayReadMetrics from './may-read-metrics';

export default { 'has-credentials': hasCredentials, 'may-read-metrics': mayReadMetrics };

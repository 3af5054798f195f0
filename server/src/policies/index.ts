import hasCredentials from './has-credentials';
import mayReadMetrics from './may-read-metrics';
import noteReads from './note-reads';

export default { 'has-credentials': hasCredentials, 'may-read-metrics': mayReadMetrics, 'note-reads': noteReads };

import activity from './activity';
import config from './config';
import documents from './documents';
import entries from './entries';
import explain from './explain';
import metrics from './metrics';
import purge from './purge';
import stats from './stats';

export default { activity, config, documents, entries, explain, metrics, purge, stats };

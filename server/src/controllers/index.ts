import config from './config';
import entries from './entries';
import purge from './purge';
import stats from './stats';

export default { config, entries, purge, stats };

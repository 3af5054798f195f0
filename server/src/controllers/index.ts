import { answeringBadRequests } from '../admin-api/request';
import activity from './activity';
import config from './config';
import documents from './documents';
import entries from './entries';
import explain from './explain';
import metrics from './metrics';
import purge from './purge';
import stats from './stats';

export default {
  activity,
  config,
  documents: answeringBadRequests(documents),
  entries: answeringBadRequests(entries),
  explain: answeringBadRequests(explain),
  metrics,
  purge: answeringBadRequests(purge),
  stats,
};

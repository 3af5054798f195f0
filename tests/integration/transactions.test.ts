import { describe } from 'vitest';
import { startApplication } from '../application/start-application';
import { describeTransactions } from '../application/transactions';

describe('on SQLite', () => {
  describeTransactions(() =>
    startApplication({ restCache: { strategy: { enableXCacheHeaders: true, contentTypes: ['api::writer.editor'] } } }),
  );
});

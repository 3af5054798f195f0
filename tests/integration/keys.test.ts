import { describe } from 'vitest';
import { callerIdentity } from './questions/caller-identity';
import { keysEqualAnswers } from './questions/keys-equal-answers';
import { askTogether } from './questions/questions';
import { shapeOfKeys } from './questions/shape-of-keys';
import { strategiesOfOthers } from './questions/strategies-of-others';

/** Under which key an answer is kept, and for whom. */
describe('a key of the cache', () => {
  askTogether(
    'auto',
    {
      keysPrefix: 'prefixed',
      keys: { useHeaders: ['X-Strategy'], useQueryParams: ['strategy'], useAuth: true },
    },
    [shapeOfKeys, keysEqualAnswers, callerIdentity, strategiesOfOthers],
  );
});

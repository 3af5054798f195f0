import { describe } from 'vitest';
import { explainAsks } from './questions/explain-asks';
import { askTogether } from './questions/questions';
import { whyNotCached } from './questions/why-not-cached';

/** What Explain says in the panel, beside what requests get. */
describe('Explain', () => {
  askTogether('auto', { repeatableMiddlewares: ['global::language'] }, [whyNotCached, explainAsks]);
});

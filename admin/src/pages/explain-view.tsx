import { Flex } from '@strapi/design-system';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useExplainMutation } from '../api/cache-api';
import { LoadFailure } from '../components/instead-of-data';
import { ExplainForm, type Question } from './explain-form';
import { callerFromText, callerToText } from './links';
import { ExplanationCard } from './explanation-card';
import { parseHeaders } from './parse-headers';

/** The last question, kept for as long as the panel is open. */
let latest: Question = { url: '', as: { kind: 'anonymous' }, headers: '' };

/** Explains for any URL whether it would be answered from the cache, and if not, why. */
export const ExplainView = () => {
  const [search, setSearch] = useSearchParams();
  const [initial] = useState<Question>(() => {
    const url = search.get('url');
    if (url === null) return latest;
    return { url, as: callerFromText(search.get('as')), headers: search.get('headers') ?? '' };
  });
  const [explain, { data, error, isLoading }] = useExplainMutation();

  const ask = async ({ url, as, headers }: Question): Promise<void> => {
    latest = { url, as, headers };
    // The headers stay out of the URL, because they may contain a credential.
    setSearch({ url, as: callerToText(as) }, { replace: true });
    await explain({ url, as, headers: parseHeaders(headers) });
  };

  // A link brings its own question; on coming back from another view, the last question is asked again.
  useEffect(() => {
    if (initial.url === '') return;
    latest = initial;
    void explain({ url: initial.url, as: initial.as, headers: parseHeaders(initial.headers) });
  }, [explain, initial]);

  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      <ExplainForm initial={initial} busy={isLoading} onAsk={(question) => void ask(question)} />
      {error === undefined ? null : <LoadFailure error={error} />}
      <div aria-live="polite">{data === undefined ? null : <ExplanationCard explanation={data} />}</div>
    </Flex>
  );
};

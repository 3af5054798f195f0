import { Flex } from '@strapi/design-system';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useExplainMutation } from '../api/cache-api';
import { LoadFailure } from '../components/load-failure';
import { ExplainForm, type Question } from './explain-form';
import { callerFromText, callerToText } from './explain-link';
import { ExplanationCard } from './explanation-card';
import { parseHeaders } from './parse-headers';

/** Says of any URL whether it would be answered from the cache, and why not. */
export const ExplainView = () => {
  const [search, setSearch] = useSearchParams();
  const [initial] = useState<Question>(() => ({
    url: search.get('url') ?? '',
    as: callerFromText(search.get('as')),
    headers: '',
  }));
  const [explain, { data, error, isLoading }] = useExplainMutation();

  const ask = async ({ url, as, headers }: Question): Promise<void> => {
    setSearch({ url, as: callerToText(as) }, { replace: true });
    await explain({ url, as, headers: parseHeaders(headers) });
  };

  // A link from an entry comes with its question.
  useEffect(() => {
    if (initial.url !== '') void explain({ url: initial.url, as: initial.as });
  }, [explain, initial]);

  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      <ExplainForm initial={initial} busy={isLoading} onAsk={(question) => void ask(question)} />
      {error === undefined ? null : <LoadFailure error={error} />}
      <div aria-live="polite">{data === undefined ? null : <ExplanationCard explanation={data} />}</div>
    </Flex>
  );
};

import { Flex } from '@strapi/design-system';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useExplainMutation } from '../api/cache-api';
import type { ExplainRequest } from '../api/responses';
import { LoadFailure } from '../components/instead-of-data';
import { ExplainForm, type Question } from './explain-form';
import { callerFromText, callerToText } from './links';
import { ExplanationCard } from './explanation-card';
import { parseHeaders } from './parse-headers';
import { parseVariables } from './parse-variables';

/** The last question, kept for as long as the panel is open. */
let latest: Question = { url: '', as: { kind: 'anonymous' }, headers: '', query: '', variables: '' };

const requestOf = ({ url, as, headers, query, variables }: Question): ExplainRequest => ({
  ...(query === '' ? { url } : { operation: { query, variables: parseVariables(variables) } }),
  as,
  // The form is not sent while a line is no header.
  headers: parseHeaders(headers) ?? {},
});

/** Explains for any URL, and any GraphQL query, whether it would be answered from the cache, and if not, why. */
export const ExplainView = () => {
  const [search, setSearch] = useSearchParams();
  const [initial] = useState<Question>(() => {
    const url = search.get('url');
    if (url === null) return latest;
    const headers = search.get('headers') ?? '';
    return { url, as: callerFromText(search.get('as')), headers, query: '', variables: '' };
  });
  const [explain, { data, error, isLoading }] = useExplainMutation();

  const ask = async (question: Question): Promise<void> => {
    latest = question;
    const { url, as, query } = question;
    // The headers stay out of the URL, because they may contain a credential.
    setSearch(query === '' ? { url, as: callerToText(as) } : {}, { replace: true });
    await explain(requestOf(question));
  };

  // A link brings its own question; on coming back from another view, the last question is asked again.
  useEffect(() => {
    if (initial.url === '' && initial.query === '') return;
    latest = initial;
    void explain(requestOf(initial));
  }, [explain, initial]);

  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      <ExplainForm initial={initial} busy={isLoading} onAsk={(question) => void ask(question)} />
      {error === undefined ? null : <LoadFailure error={error} />}
      <div aria-live="polite">{data === undefined ? null : <ExplanationCard explanation={data} />}</div>
    </Flex>
  );
};

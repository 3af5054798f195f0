import { Flex, Typography } from '@strapi/design-system';
import { useMetricsQuery } from '../api/cache-api';
import type { ProviderHealth } from '../api/responses';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { Notice } from './notice';
import { Pill } from './pill';

interface ProviderStatusProps {
  readonly provider: ProviderHealth;
  /** The server's current time, in milliseconds since the epoch. `provider.since` is compared with it. */
  readonly now: number;
}

/** The name of the provider that stores the entries, and whether it can be reached. */
export const ProviderStatus = ({ provider, now }: ProviderStatusProps) => {
  const { words } = useWords();
  const { ago } = useFormats();
  const { name, state, since } = provider;
  return (
    <Flex gap={2}>
      <Typography variant="pi" textColor="neutral600">
        {words('provider.label', { name })}
      </Typography>
      <Pill variant={state === 'up' ? 'success' : 'danger'}>
        {words(state === 'up' ? 'provider.up' : 'provider.down', { since: ago(since, now) })}
      </Pill>
    </Flex>
  );
};

/** Explains the consequences while the store cannot be reached; otherwise renders nothing. */
export const StoreAway = () => {
  const { words, sentence: said } = useWords();
  const { ago, moment } = useFormats();
  const { data } = useMetricsQuery();
  if (data === undefined || data.provider.state === 'up') return null;
  const { now } = data;
  const { name, since, reason, sentence } = data.provider;
  return (
    <Notice variant="danger" title={words('away.title', { name })}>
      {words('away.text', { since: ago(since, now), at: moment(since) })}{' '}
      {words('away.reason', { reason: sentence === null ? reason : said(sentence) })}
    </Notice>
  );
};

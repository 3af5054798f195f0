import { Flex, Typography } from '@strapi/design-system';
import type { ProviderHealth } from '../api/responses';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { Notice } from './notice';
import { Pill } from './pill';

interface ProviderStatusProps {
  readonly provider: ProviderHealth;
  /** The server's time, to which its points in time relate. */
  readonly now: number;
}

/** Where entries are held, and whether it can be asked. */
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

/** What it means that the store is away, while it is. */
export const StoreAway = ({ provider, now }: ProviderStatusProps) => {
  const { words } = useWords();
  const { ago, moment } = useFormats();
  const { name, state, since, reason } = provider;
  if (state === 'up') return null;
  return (
    <Notice variant="danger" title={words('away.title', { name })}>
      {words('away.text', { since: ago(since, now), at: moment(since) })} {reason}
    </Notice>
  );
};

import { Box } from '@strapi/design-system';
import type { Metrics } from '../api/responses';
import { Code } from '../components/code';
import { Facts, FactTiles } from '../components/facts';
import { Section } from '../components/section';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';

interface BackgroundCardProps {
  readonly background: Metrics['background'];
}

/** What the plugin has computed although nobody waited for it; nothing if all of that is off. */
export const BackgroundCard = ({ background: { stale, warm, audit } }: BackgroundCardProps) => {
  const { words } = useWords();
  const { count } = useFormats();
  if (stale === null && warm === null && audit === null) return null;
  const unsteady = audit?.unsteady ?? [];
  return (
    <Section title={words('background.title')}>
      <FactTiles
        facts={[
          ...(warm === null
            ? []
            : [
                {
                  name: words('background.warmed'),
                  value: count(warm.warmed),
                  hint: warm.latest.purged === 0 ? undefined : words('background.warmed.hint', { ...warm.latest }),
                },
              ]),
          ...(stale === null
            ? []
            : [
                { name: words('background.stale'), value: count(stale.hits) },
                { name: words('background.revalidated'), value: count(stale.revalidated) },
              ]),
          ...(audit === null
            ? []
            : [
                {
                  name: words('background.audited'),
                  value: count(audit.audited),
                  hint: words('background.audited.hint', { stale: audit.stale }),
                },
                { name: words('background.unsteady'), value: count(unsteady.length) },
              ]),
        ]}
      />
      {unsteady.length === 0 ? null : (
        <Box paddingTop={4}>
          <Facts facts={unsteady.map(({ route, at }) => ({ name: route, value: <Code>{at}</Code> }))} />
        </Box>
      )}
    </Section>
  );
};

import { Flex, Typography } from '@strapi/design-system';
import { useMetricsQuery } from '../api/cache-api';
import { useWords } from '../hooks/use-words';
import { CodeBlock } from './code';
import { CopyButton } from './copy-button';
import { NothingHere } from './instead-of-data';
import { Section } from './section';

/** The lines to add to config/plugins in order to see a first hit. */
const configurationOf = (contentTypes: readonly string[]): string =>
  [
    "'rest-cache': {",
    '  enabled: true,',
    '  config: {',
    '    strategy: {',
    '      enableXCacheHeaders: true,',
    '      contentTypes: [',
    ...contentTypes.map((uid) => `        '${uid}',`),
    '      ],',
    '    },',
    '  },',
    '},',
  ].join('\n');

/** Shown where no content type is cached: offers a configuration made from this application's own content types. */
export const FirstConfiguration = () => {
  const { words } = useWords();
  const { data } = useMetricsQuery();
  const types = data?.suggestedContentTypes ?? [];
  if (types.length === 0) return <NothingHere>{words('types.none')}</NothingHere>;
  const text = configurationOf(types);
  return (
    <Section title={words('first.title')} action={<CopyButton text={() => text}>{words('first.copy')}</CopyButton>}>
      <Flex direction="column" alignItems="stretch" gap={4}>
        <Typography>{words('first.text')}</Typography>
        <CodeBlock tabIndex={0}>{text}</CodeBlock>
        <Typography textColor="neutral600">{words('first.check')}</Typography>
      </Flex>
    </Section>
  );
};

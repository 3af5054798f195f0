import type { ReactNode } from 'react';
import { useIntl } from 'react-intl';
import type { Words } from '../translations/words';
import { PLUGIN_ID } from '../plugin-id';

type Values = Record<string, string | number | Date | boolean | null | undefined>;
type RichValues = Record<string, Values[string] | ReactNode | ((chunks: ReactNode) => ReactNode)>;

/** The plugin's words in the panel's language. */
export const useWords = () => {
  const { formatMessage } = useIntl();
  return {
    words: (id: Words, values?: Values): string => formatMessage({ id: `${PLUGIN_ID}.${id}` }, values as never),
    rich: (id: Words, values: RichValues): ReactNode =>
      formatMessage({ id: `${PLUGIN_ID}.${id}` }, values as never) as ReactNode,
  };
};

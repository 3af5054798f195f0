import type { ReactNode } from 'react';
import { useIntl } from 'react-intl';
import type { Words } from '../translations/words';
import type { Named, Sentence } from '../api/responses';
import { PLUGIN_ID } from '../plugin-id';

type Values = Record<string, string | number | Date | boolean | null | undefined>;
type RichValues = Record<string, Values[string] | ReactNode | ((chunks: ReactNode) => ReactNode)>;

/** The plugin's words in the panel's language. */
export const useWords = () => {
  const { formatMessage, formatList, messages } = useIntl();
  const sentence = ({ code, values, text }: Sentence): string => {
    const id = `${PLUGIN_ID}.said.${code}`;
    if (messages[id] === undefined) return text;
    return formatMessage({ id }, Object.fromEntries(values.map((value, place) => [place, valueOf(value)])));
  };
  const valueOf = (value: Named): string | number =>
    typeof value === 'string' || typeof value === 'number'
      ? value
      : 'code' in value
        ? sentence(value)
        : formatList(value.map(valueOf).map(String), { type: 'unit' });
  return {
    /** A sentence of the server's. Where the language has no words for its code, as in English, it is as the server says it. */
    sentence,
    words: (id: Words, values?: Values): string => formatMessage({ id: `${PLUGIN_ID}.${id}` }, values as never),
    rich: (id: Words, values: RichValues): ReactNode =>
      formatMessage({ id: `${PLUGIN_ID}.${id}` }, values as never) as ReactNode,
  };
};

import type { ReactNode } from 'react';
import type { Activity, Actor } from '../api/responses';
import type { useWords } from '../hooks/use-words';
import { documentLink } from '../pages/links';
import { Code } from './code';
import { TextLink } from './text-link';

type Vocabulary = ReturnType<typeof useWords>;

/** Who made the change, in words. */
export const actorWords = ({ kind, id, name }: Actor, { words }: Vocabulary): string =>
  words(`actor.${kind}`, { name: name ?? String(id ?? '') });

/** What was done, in one sentence. */
export const activityWords = ({ kind, subject }: Activity, { rich, words }: Vocabulary): ReactNode => {
  const code = (text: string): ReactNode => <Code>{text}</Code>;
  switch (subject.kind) {
    case 'everything':
      return words(kind === 'purge' ? 'activity.purged.everything' : 'activity.wrote.everything');
    case 'content-type': {
      const type = subject.contentType.displayName;
      if (subject.params === null) return words('activity.purged.type', { type });
      const params = Object.entries(subject.params).map(([name, value]) => `${name}=${value}`);
      return rich('activity.purged.narrowed', { type, params: code(params.join(', ')) });
    }
    case 'documents': {
      const [first = ''] = subject.documentIds;
      const { contentType, count, title, isSingleType } = subject;
      // Without a title, the admin who looks may not be allowed to read the document.
      const document =
        title === undefined ? (
          code(first)
        ) : (
          <TextLink to={documentLink(contentType.uid, first, isSingleType)}>{title}</TextLink>
        );
      const values = { type: contentType.displayName, count, document };
      return rich(kind === 'purge' ? 'activity.purged.documents' : 'activity.wrote.documents', values);
    }
    case 'entry':
      return rich('activity.purged.entry', { url: code(subject.url) });
    case 'entries':
      return words('activity.purged.entries', { count: subject.count });
    case 'tables': {
      const types = subject.contentTypes.map(({ displayName }) => displayName);
      const names = types.length > 0 ? types.join(', ') : code(subject.tables.join(', '));
      return rich(kind === 'purge' ? 'activity.purged.tables' : 'activity.wrote.tables', { names });
    }
  }
};

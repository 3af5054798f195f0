import { Badge } from '@strapi/design-system';
import type { Sharing } from '../api/responses';
import { useWords } from '../hooks/use-words';

const COLORS = {
  shared: { backgroundColor: 'danger100', textColor: 'danger700' },
  keyed: { backgroundColor: 'primary100', textColor: 'primary700' },
  public: { backgroundColor: 'neutral150', textColor: 'neutral800' },
} as const;

/** Says who may be served whose response. */
export const SharingBadge = ({ sharing }: { readonly sharing: Sharing }) => {
  const { words } = useWords();
  return <Badge {...COLORS[sharing]}>{words(`sharing.${sharing}`)}</Badge>;
};

import { Badge, Tooltip } from '@strapi/design-system';
import { Link } from 'react-router-dom';
import type { Sharing } from '../api/responses';
import { useWords } from '../hooks/use-words';
import { configurationLink } from '../pages/links';

const COLORS = {
  shared: { backgroundColor: 'danger100', textColor: 'danger700' },
  role: { backgroundColor: 'primary100', textColor: 'primary700' },
  keyed: { backgroundColor: 'primary100', textColor: 'primary700' },
  public: { backgroundColor: 'neutral150', textColor: 'neutral800' },
} as const;

interface SharingBadgeProps {
  readonly sharing: Sharing;
  /** Uid of the content type whose configuration determines the sharing. */
  readonly contentType: string;
}

/** Says between which callers a response is shared and what follows from that, and links to the configuration. */
export const SharingBadge = ({ sharing, contentType }: SharingBadgeProps) => {
  const { words } = useWords();
  return (
    <Tooltip description={words(`sharing.${sharing}.hint`)}>
      <Link to={configurationLink(contentType)} style={{ whiteSpace: 'nowrap' }}>
        <Badge {...COLORS[sharing]}>{words(`sharing.${sharing}`)}</Badge>
      </Link>
    </Tooltip>
  );
};

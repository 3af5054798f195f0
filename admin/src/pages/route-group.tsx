import { Box, Flex, Typography } from '@strapi/design-system';
import { ChevronDown, ChevronRight } from '@strapi/icons';
import { useState } from 'react';
import { styled } from 'styled-components';
import type { ReportedContentType } from '../api/responses';
import { Code } from '../components/code';
import { BareButton } from '../components/plain-table';
import { PurgeType } from '../components/purge-type';
import { SharingBadge } from '../components/sharing-badge';
import { useCachePermissions } from '../hooks/use-cache-permissions';
import { useWords } from '../hooks/use-words';
import { COLUMNS, requestsOf } from './route-numbers';
import { RouteRow, type ShownRoute } from './route-row';

const Head = styled.th`
  && {
    font-weight: inherit;
    background: ${({ theme }) => theme.colors.neutral100};
  }
`;

interface RouteGroupProps {
  readonly contentType: ReportedContentType;
  /** In the order of the table. */
  readonly routes: readonly ShownRoute[];
  /** How many responses a purge of the type would remove; `undefined` until it is known. */
  readonly purges: number | undefined;
  /** Whether routes without requests are shown as well. */
  readonly isUnfolded: boolean;
  readonly opened: ReadonlySet<string>;
  readonly onToggle: (path: string) => void;
}

/** A content type with its routes. Those without requests are folded away. */
export const RouteGroup = ({ contentType, routes, purges, isUnfolded, opened, onToggle }: RouteGroupProps) => {
  const { words } = useWords();
  const { canPurge } = useCachePermissions();
  const [unfolded, setUnfolded] = useState(false);
  const { uid, displayName, sharing, shownContentTypes } = contentType;
  const isShown = ({ route, counts }: ShownRoute): boolean =>
    isUnfolded || unfolded || requestsOf(counts) > 0 || opened.has(route.path);
  const folded = routes.filter((shown) => requestsOf(shown.counts) === 0 && !opened.has(shown.route.path)).length;
  const Caret = unfolded ? ChevronDown : ChevronRight;
  return (
    <tbody>
      <tr>
        <Head colSpan={COLUMNS.length} scope="rowgroup">
          <Flex justifyContent="space-between" alignItems="flex-start" gap={4} wrap="wrap">
            <Box flex="1" minWidth="min(28rem, 100%)">
              <Flex gap={3} wrap="wrap">
                <Typography fontWeight="bold">{displayName}</Typography>
                <Code>{uid}</Code>
                <SharingBadge sharing={sharing} contentType={uid} />
              </Flex>
              {routes.some(({ route }) => route.sharing !== sharing) ? (
                <Typography tag="p" variant="pi" textColor="neutral600">
                  {words('sharing.differs')}
                </Typography>
              ) : null}
              {shownContentTypes.length === 0 ? null : (
                <Typography tag="p" variant="pi" textColor="neutral600">
                  {words('types.related', { types: shownContentTypes.map((type) => type.displayName).join(', ') })}
                </Typography>
              )}
            </Box>
            {canPurge ? (
              <PurgeType
                uid={uid}
                displayName={displayName}
                label={words('purge.type', { type: displayName })}
                size="S"
                isEmpty={purges === 0}
              />
            ) : null}
          </Flex>
        </Head>
      </tr>
      {routes.filter(isShown).map((shown) => (
        <RouteRow
          key={shown.route.path}
          shown={shown}
          isOpen={opened.has(shown.route.path)}
          onToggle={() => onToggle(shown.route.path)}
        />
      ))}
      {folded === 0 || isUnfolded ? null : (
        <tr>
          <td colSpan={COLUMNS.length}>
            <BareButton type="button" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
              <Caret aria-hidden />
              <Typography variant="pi" textColor="neutral600">
                {words('routes.folded', { count: folded })}
              </Typography>
            </BareButton>
          </td>
        </tr>
      )}
    </tbody>
  );
};

import { Typography } from '@strapi/design-system';
import type { Lane } from '../api/responses';
import { useWords } from '../hooks/use-words';
import { Code } from './code';

/** Where a route's hits are answered, and what keeps them from being answered further out. */
export const RouteLane = ({ lane: { mode, keptBy } }: { readonly lane: Lane }) => {
  const { words, rich } = useWords();
  return (
    <>
      {words(`lane.${mode}`)}
      {keptBy === null ? null : <>: {rich('lane.keptBy', { function: <Code>{keptBy}</Code> })}</>}
    </>
  );
};

/** What could be done for hits to be answered further out, if anything. */
export const LaneAdvice = ({ lane: { advice } }: { readonly lane: Lane }) => {
  const { words } = useWords();
  if (advice === null) return null;
  return (
    <Typography tag="p" variant="pi" textColor="neutral600">
      {words('lane.advice', { advice })}
    </Typography>
  );
};

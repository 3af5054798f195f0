import { Typography } from '@strapi/design-system';
import type { Lane } from '../api/responses';
import { useWords } from '../hooks/use-words';
import { bareFunctions } from '../pages/bare-detail';
import { Code } from './code';

/** Where a route's hits are answered, and the function that keeps them from being answered before Strapi. */
export const RouteLane = ({ lane: { mode, blockedBy } }: { readonly lane: Lane }) => {
  const { words, rich } = useWords();
  return (
    <>
      {words(`lane.${mode}`)}
      {blockedBy === null ? null : (
        <>: {rich('lane.blockedBy', { function: <Code>{bareFunctions(blockedBy)}</Code> })}</>
      )}
    </>
  );
};

/** What can be done so that hits are answered before Strapi, if anything. */
export const LaneAdvice = ({ lane: { advice } }: { readonly lane: Lane }) => {
  const { words } = useWords();
  if (advice === null) return null;
  return (
    <Typography tag="p" variant="pi" textColor="neutral600">
      {words('lane.advice', { advice })}
    </Typography>
  );
};

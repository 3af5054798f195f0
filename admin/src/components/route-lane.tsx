import { Typography } from '@strapi/design-system';
import type { Lane } from '../api/responses';
import { useWords } from '../hooks/use-words';
import { Code } from './code';

/** Where a route's hits are answered, and the function that keeps them from being answered before Strapi. */
export const RouteLane = ({ lane: { mode, blockedBy } }: { readonly lane: Lane }) => {
  const { words, rich, sentence } = useWords();
  const place = words(`lane.${mode}`);
  if (blockedBy === undefined) return <>{place}</>;
  const reason = rich('lane.blockedBy', { function: <Code>{sentence(blockedBy)}</Code> });
  return <>{rich('colon', { before: place, after: reason })}</>;
};

/** What can be done so that hits are answered before Strapi, if anything. */
export const LaneAdvice = ({ lane }: { readonly lane: Lane }) => {
  const { words, sentence } = useWords();
  const { advice } = lane;
  if (advice === undefined) return null;
  return (
    <Typography tag="p" variant="pi" textColor="neutral600">
      {words('lane.advice', { advice: sentence(advice) })}
    </Typography>
  );
};

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

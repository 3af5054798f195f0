import type { Findings } from './findings';
import { warnOfShortDuration } from './warnings';
import { DEFAULT_EDGE, fillIn, type ResolvedEdge } from './resolved-config';
import type { ParsedStrategy } from './schema';

/**
 * Fills in the defaults of `strategy.edge`. Reports options that do not fit the mode: without a header or targets, the
 * edge would keep responses that nobody purges; without `enableEtag`, it could not revalidate them.
 */
export const resolveEdge = (
  { targets = [], ...written }: NonNullable<ParsedStrategy['edge']>,
  hasEtag: boolean,
  findings: Findings,
): ResolvedEdge => {
  const edge = fillIn(DEFAULT_EDGE, written);
  warnOfShortDuration(findings, edge.maxAge, ['strategy', 'edge', 'maxAge']);
  const { problems } = findings;
  if (edge.mode === 'revalidate') {
    if (!hasEtag)
      problems.push(
        'strategy.edge.mode is "revalidate", but strategy.enableEtag is not true, so the edge cannot ask whether ' +
          'a response still holds; write enableEtag: true.',
      );
    if (targets.length > 0)
      problems.push(
        'strategy.edge.targets have nothing to purge with mode: "revalidate"; leave them out, or write mode: "purge".',
      );
    return { ...edge, header: '' };
  }
  if (edge.header === '')
    problems.push(
      'strategy.edge.header is missing; expected the response header that the edge reads keys from: "xkey" for Varnish, ' +
        '"Surrogate-Key" for Fastly, "Cache-Tag" for Cloudflare.',
    );
  if (targets.length === 0)
    problems.push(
      'strategy.edge.targets is empty, so the edge would keep answers that nobody purges; list a target, or write mode: ' +
        '"revalidate".',
    );
  return edge;
};

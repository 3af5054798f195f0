import type { z } from 'zod';

import { describeKind, describeValue } from './describe-value';
import { likelyName, nearestName } from './nearest-name';
import { formatOptionPath, isSecret, type OptionPath } from './option-path';

/** The options of each kind of object, by the name of the option that holds it; `''` holds them all. */
type OptionsByHolder = Readonly<Record<string, readonly string[]>>;

const didYouMean = (name: string | undefined): string => (name === undefined ? '' : `; did you mean "${name}"?`);

/** What options of the incumbent's first versions have become. */
const SUCCESSORS: Readonly<Record<string, string>> = { headers: 'keys.useHeaders' };

const unknownOption = (path: OptionPath, option: string, options: OptionsByHolder): string => {
  const here = formatOptionPath([...path, option]);
  const holder = path.findLast((step) => typeof step === 'string') ?? '';
  const accepted = options[String(holder)] ?? [];
  const successor = Object.hasOwn(SUCCESSORS, option) ? SUCCESSORS[option] : undefined;
  if (successor !== undefined) return `${here} is not an option any more; write ${successor}.`;
  const elsewhere = Object.keys(options).find((name) => options[name]?.includes(option));
  if (elsewhere !== undefined) {
    return `${here} is not an option; "${option}" belongs ${elsewhere === '' ? 'at the top' : `under "${elsewhere}"`}.`;
  }
  const likely = likelyName(option, accepted);
  if (likely !== undefined) return `${here} is not an option; did you mean "${likely}"?`;
  const nearest = nearestName(option, accepted);
  return `${here} is not an option; accepted are ${accepted.join(', ')} (the nearest is "${nearest}").`;
};

const wrongValue = (issue: z.core.$ZodIssue): string => {
  const here = issue.path.length === 0 ? 'The configuration' : formatOptionPath(issue.path);
  if (issue.input === undefined) return `${here} is missing; expected ${issue.message}.`;
  const given = isSecret(issue.path) ? describeKind(issue.input) : describeValue(issue.input);
  const options: unknown = issue.code === 'custom' ? issue.params?.options : undefined;
  const suggestion =
    Array.isArray(options) && typeof issue.input === 'string' ? didYouMean(nearestName(issue.input, options)) : '.';
  return `${here} is ${given}; expected ${issue.message}${suggestion}`;
};

/** What the schema found wrong, one sentence each: where, what stands there (unless secret), what is accepted. */
export const describeProblem = (issue: z.core.$ZodIssue, options: OptionsByHolder): string[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((option) => unknownOption(issue.path, option, options))
    : [wrongValue(issue)];

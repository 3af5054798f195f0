import { inspect } from 'node:util';
import type { z } from 'zod';
import { likelyName, nearestName } from './nearest-name';

/** The configuration cannot be used. One message that lists everything that is wrong with it. */
export class ConfigurationError extends Error {
  /** One sentence each, beginning with the option's path. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super([`The configuration of "rest-cache" in config/plugins has ${count}:`, ...problems].join('\n  - '));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** Where an option stands: `['strategy', 'contentTypes', 2, 'maxAge']`. */
export type OptionPath = readonly PropertyKey[];

/** As a user would write it: `strategy.contentTypes[2].maxAge`. */
export const formatOptionPath = (path: OptionPath): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');

/**
 * Whether what stands there may be a credential: everything of the provider but its deadline, what targets at the edge are
 * reached with, and the metrics' secret.
 */
const isSecret = ([section, option, part]: OptionPath): boolean =>
  section === 'metrics' ||
  (section === 'provider' && option !== 'getTimeout') ||
  (option === 'edge' && part === 'targets');

const LONGEST = 80;

/** A value as it may stand in a message: `0`, `"1h"`, `NaN`, `[ 'a', 'b' ]`, short whatever it is. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'function') return 'a function';
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 0, breakLength: Infinity, maxArrayLength: 5, maxStringLength: LONGEST });
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** What kind of value it is, for places where the value itself may be a credential. */
const describeKind = (value: unknown): string => {
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
};

/** The options of each kind of object, by the name of the option that holds it; `''` holds them all. */
type OptionsByHolder = Readonly<Record<string, readonly string[]>>;

const didYouMean = (name: string | undefined): string => (name === undefined ? '' : `; did you mean "${name}"?`);

/** What to write instead of names that other caches, or the first versions of the community plugin, have. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  headers: 'keys.useHeaders',
  ttl: 'maxAge, in milliseconds',
};

/** Strapi's own switch, which is not in what the plugin gets to see. */
const ENABLED =
  'it switches the whole plugin on and stands beside "config" in config/plugins. One content type is left out by not naming it';

const unknownOption = (path: OptionPath, option: string, options: OptionsByHolder): string => {
  const here = formatOptionPath([...path, option]);
  const holder = path.findLast((step) => typeof step === 'string') ?? '';
  const accepted = options[String(holder)] ?? [];
  const successor = Object.hasOwn(SUCCESSORS, option) ? SUCCESSORS[option] : undefined;
  if (successor !== undefined) {
    const level = path[0] === 'strategy' ? '' : 'strategy.';
    return `${here} is not an option; write ${level}${successor}.`;
  }
  if (option === 'enabled') return `${here} is not an option; ${ENABLED}.`;
  const likely = likelyName(option, accepted);
  if (likely !== undefined) return `${here} is not an option; did you mean "${likely}"?`;
  const elsewhere = Object.keys(options).find((name) => options[name]?.includes(option));
  if (elsewhere !== undefined) {
    return `${here} is not an option; "${option}" belongs ${elsewhere === '' ? 'at the top' : `under "${elsewhere}"`}.`;
  }
  const all = `accepted are ${accepted.join(', ')}`;
  if (holder === 'provider')
    return `${here} is not an option; ${all}. What the provider itself takes stands under "options".`;
  const nearest = nearestName(option, accepted);
  return `${here} is not an option; ${all} (the nearest is "${nearest}").`;
};

const wrongValue = (issue: z.core.$ZodIssue): string => {
  const here = issue.path.length === 0 ? 'The configuration' : formatOptionPath(issue.path);
  if (issue.input === undefined) return `${here} is missing; expected ${issue.message}.`;
  const given = isSecret(issue.path) ? describeKind(issue.input) : describeValue(issue.input);
  const suggestion =
    issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? didYouMean(nearestName(issue.input, issue.values.map(String)))
      : '.';
  return `${here} is ${given}; expected ${issue.message}${suggestion}`;
};

/** What the schema found wrong, one sentence each: where, what stands there (unless secret), what is accepted. */
export const describeProblem = (issue: z.core.$ZodIssue, options: OptionsByHolder): string[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((option) => unknownOption(issue.path, option, options))
    : [wrongValue(issue)];

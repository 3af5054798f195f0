import { inspect } from 'node:util';
import type { z } from 'zod';
import { likelyName, nearestName } from './nearest-name';

/** The configuration cannot be used. The message lists everything that is wrong with it. */
export class ConfigurationError extends Error {
  /** One sentence for each problem. It begins with the option's path, or with the route that the problem is about. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super([`The configuration of "rest-cache" in config/plugins has ${count}:`, ...problems].join('\n  - '));
    this.name = 'ConfigurationError';
    this.problems = problems;
    // Strapi logs an error's message and then its stack, which repeats the message and shows nothing of the user's.
    this.stack = '';
  }
}

/** The path of an option: `['strategy', 'contentTypes', 2, 'maxAge']`. */
export type OptionPath = readonly PropertyKey[];

/** An option's path as a user would write it: `strategy.contentTypes[2].maxAge`. */
export const formatOptionPath = (path: OptionPath): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');

/**
 * Whether the value at a path may hold a credential: everything of `provider` but `getTimeout`, the edge and its
 * `targets`, and everything of `metrics`.
 */
const isSecret = ([section, option, part]: OptionPath): boolean =>
  section === 'metrics' ||
  (section === 'provider' && option !== 'getTimeout') ||
  (option === 'edge' && (part === undefined || part === 'targets'));

const LONGEST = 80;

/** A value as text for a message: `0`, `"1h"`, `NaN`, `[ 'a', 'b' ]`. Long texts are cut off. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'function') return 'a function';
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 0, breakLength: Infinity, maxArrayLength: 5, maxStringLength: LONGEST });
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** The kind of a value, for messages about values that may be credentials. */
const describeKind = (value: unknown): string => {
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
};

/** The options of each kind of object, by the option that holds the object; `''` stands for the whole configuration. */
type OptionsByHolder = Readonly<Record<string, readonly string[]>>;

const didYouMean = (name: string | undefined): string => (name === undefined ? '' : `; did you mean "${name}"?`);

/** Replacements for option names from other caches or from the first versions of the community plugin. */
const SUCCESSORS: Readonly<Record<string, string>> = { headers: 'keys.useHeaders', ttl: 'maxAge, in milliseconds' };

/** For `enabled`, which is Strapi's own switch and not part of the configuration that Strapi passes to the plugin. */
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
    return `${here} is not an option; ${all}. The provider's own options belong under "options".`;
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

/**
 * One sentence for each problem that the schema found: the option's path, its value (unless secret), what is accepted.
 */
export const describeProblem = (issue: z.core.$ZodIssue, options: OptionsByHolder): string[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((option) => unknownOption(issue.path, option, options))
    : [wrongValue(issue)];

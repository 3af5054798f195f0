import { isPlainObject } from '../cache/plain-object';
import type { OptionPath } from './configuration-error';

/** A list or an object that holds options. What belongs to a provider is its own. */
const holdsOptions = (written: unknown, [section, option]: OptionPath): written is object =>
  (Array.isArray(written) || isPlainObject(written)) && (section !== 'provider' || option === undefined);

/**
 * The paths of all promises in a configuration. The schema would take each for an object without options: a store at its
 * default address, keys without the caller.
 *
 * @param around the objects that `written` is in: a configuration may refer to itself.
 */
export const promisesIn = (
  written: unknown,
  path: OptionPath = [],
  around: readonly unknown[] = [],
): readonly OptionPath[] => {
  if (written instanceof Promise) return [path];
  if (!holdsOptions(written, path) || around.includes(written)) return [];
  return Object.entries(written).flatMap(([name, each]) =>
    promisesIn(each, [...path, Array.isArray(written) ? Number(name) : name], [...around, written]),
  );
};

import type { Provider } from '../cache/provider';

type RequiredOf<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];

/** Every function a provider must have; the compiler sees to it that none is left out. */
const FUNCTIONS: Readonly<Record<Exclude<RequiredOf<Provider>, 'name'>, true>> = {
  lookup: true,
  knownSequence: true,
  store: true,
  announce: true,
  invalidate: true,
  delete: true,
  usage: true,
  clear: true,
  health: true,
  close: true,
};

/** The members that an object lacks to be a provider; an empty list if it may be one. */
export const missingFromProvider = (candidate: object): readonly string[] => {
  const isMissing = (name: string): boolean => typeof Reflect.get(candidate, name) !== 'function';
  const missing = Object.keys(FUNCTIONS).filter(isMissing);
  if (isMissing('summaries') && isMissing('entries')) missing.push('entries');
  const name: unknown = Reflect.get(candidate, 'name');
  return typeof name === 'string' && name !== '' ? missing : ['name', ...missing];
};

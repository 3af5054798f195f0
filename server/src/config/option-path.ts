/** Where an option stands: `['strategy', 'contentTypes', 2, 'maxAge']`. */
export type OptionPath = readonly PropertyKey[];

/** As a user would write it: `strategy.contentTypes[2].maxAge`. */
export const formatOptionPath = (path: OptionPath): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');

/** Whether what stands there may be a credential: everything of the provider but its deadline, and the metrics' secret. */
export const isSecret = ([section, option]: OptionPath): boolean =>
  section === 'metrics' || (section === 'provider' && option !== 'getTimeout');

export interface WrittenOption {
  /** `strategy.contentTypes[0].maxAge` */
  readonly path: string;
  /** The same for any element of a list: `strategy.contentTypes[].maxAge`. */
  readonly pattern: string;
  readonly value: unknown;
  /** The name of the class of the object that holds the option. */
  readonly madeBy: string;
}

/** Options whose value is not looked into, even if it is an object (a connection, for example). */
const DEEPEST = /^(provider\.options\.[^.]+|provider\.instance|redis\w+)$/;

/** Every option that is set below `value`, in the order of writing. Objects that only hold options are not listed. */
export const writtenOptions = (value: unknown, path = '', pattern = '', madeBy = ''): WrittenOption[] => {
  const own = path === '' ? [] : [{ path, pattern, value, madeBy }];
  if (Array.isArray(value) && value.some((element) => typeof element === 'object' || pattern.endsWith('Types')))
    return value.flatMap((element, index) => writtenOptions(element, `${path}[${index}]`, `${pattern}[]`));
  if (typeof value !== 'object' || value === null || Array.isArray(value) || DEEPEST.test(pattern)) return own;
  const below = (option: string): readonly [string, string] =>
    path === '' ? [option, option] : [`${path}.${option}`, `${pattern}.${option}`];
  const { constructor } = value as { readonly constructor?: { readonly name: string } };
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .flatMap(([option, each]) => writtenOptions(each, ...below(option), constructor?.name));
};

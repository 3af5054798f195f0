/** Of a property, as its holder has it. */
type Accessor = Pick<PropertyDescriptor, 'set'> & Required<Pick<PropertyDescriptor, 'get'>>;

/** Names that are wrapped, by prototype. */
const wrapped = new WeakMap<object, Set<string>>();

/**
 * Puts an accessor in front of one that a prototype of Koa's has or inherits; once for an application, for one of each
 * request's own would make that a slow object for as long as the request takes. Whoever comes first for a name stays.
 *
 * @returns whether one is in front of it, by now or before; `false` where it has no such accessor, or gives none away.
 */
export const wrapAccessor = (prototype: object, name: string, wrap: (inner: Accessor) => Accessor): boolean => {
  const names = wrapped.get(prototype) ?? new Set();
  if (names.has(name)) return true;
  let holder: object | null = prototype;
  while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder) as object | null;
  const found = holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, name);
  const { get, set } = found ?? {};
  if (get === undefined || (holder === prototype && found?.configurable !== true)) return false;
  Object.defineProperty(prototype, name, { ...found, configurable: true, ...wrap({ get, set }) });
  wrapped.set(prototype, names.add(name));
  return true;
};

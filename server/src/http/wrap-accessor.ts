/** A getter, and the setter if there is one. */
type Accessor = Pick<PropertyDescriptor, 'set'> & Required<Pick<PropertyDescriptor, 'get'>>;

/** Names that are wrapped, by prototype. */
const wrapped = new WeakMap<object, Set<string>>();

/**
 * Wraps an accessor that one of Koa's prototypes has or inherits. This is done once per application: an accessor on
 * each request would make the request a slow object for as long as it takes. A name is wrapped only once; later calls
 * change nothing.
 *
 * @returns whether the accessor is wrapped, now or by an earlier call; `false` if there is no such getter, or it cannot
 * be redefined.
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

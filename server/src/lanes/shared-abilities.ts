import { LRUCache } from 'lru-cache';

/** The object that CASL makes of a list of permissions. */
export interface Ability {
  readonly rules: ReadonlyArray<{ readonly action?: unknown; readonly subject?: unknown }>;
  can(action: string, ...rest: unknown[]): boolean;
  update(rules: unknown): this;
}

/** Maximum number of abilities. There are as many as there are roles and custom tokens at a time. */
const MAX_ABILITIES = 100;

/** How long an ability is kept, in milliseconds. It grows, because CASL notes every action that it is asked for. */
const LONGEST = 60_000;

/** Holds equal abilities only once: thousands of remembered callers share the few of their roles. */
export class SharedAbilities {
  readonly #known = new LRUCache<string, Ability>({ max: MAX_ABILITIES, ttl: LONGEST });

  /** The ability to hold instead; `undefined` for one that depends on more than the action it is asked for. */
  share(ability: Partial<Ability>): Ability | undefined {
    if (ability.rules?.every(isOnlyAction) !== true) return undefined;
    const actions = ability.rules.map(({ action }) => action).join('\n');
    const known = this.#known.get(actions);
    if (known !== undefined) return known;
    this.#known.set(actions, ability as Ability);
    return ability as Ability;
  }
}

const isOnlyAction = ({ action, subject, ...rest }: Ability['rules'][number]): boolean =>
  typeof action === 'string' && subject === 'all' && Object.keys(rest).length === 0;

/** Makes an ability for one request, which inherits from `origin`: `update` changes only the request's own. */
export const abilityLike = (origin: Ability): Ability => {
  const own = Object.create(origin) as Ability;
  own.update = (rules) => {
    const { can, update } = origin.constructor.prototype as Ability;
    update.call(own, rules);
    // Strapi's own `can` is bound to the ability it was made for.
    own.can = can;
    return own;
  };
  return own;
};

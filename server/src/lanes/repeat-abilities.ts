import type { Core } from '@strapi/strapi';
import { LRUCache } from 'lru-cache';
import { currentRecording } from '../observe/recording';

/** The object that CASL makes of a list of permissions. */
export interface Ability {
  can(action: string, ...rest: unknown[]): boolean;
  update(rules: unknown): this;
}

/** Strapi's content-API permission engine (`strapi.contentAPI.permissions.engine`), as far as it is needed. */
interface PermissionEngine {
  readonly hooks: Readonly<Record<string, { getHandlers(): readonly unknown[] }>>;
  generateAbility(permissions: readonly Permission[], options?: object): Promise<Ability>;
}

interface Permission {
  readonly action: string;
}

/** Maximum number of lists of permissions. There are as many as there are roles and custom tokens at a time. */
const MAX_LISTS = 100;

/** How long an ability is kept, in milliseconds. It grows, because CASL notes every action that it is asked for. */
const LONGEST = 60_000;

/**
 * Makes Strapi build an ability once per list of actions, for requests that do not write and before their handler runs.
 * Otherwise, Strapi builds the same ability from the same list for every request, through several promises for each
 * action: a twentieth of an uncached request with thirty actions. Lists with conditions or parameters, and engines with
 * other hooks than Strapi's own, are left alone.
 */
export const repeatAbilities = ({ contentAPI }: Core.Strapi): void => {
  const { engine, providers } = contentAPI.permissions as unknown as {
    readonly engine: PermissionEngine;
    readonly providers: { readonly action: { has(action: string): boolean } };
  };
  // If Strapi's permission engine does not look as expected, it is left alone.
  if (typeof engine.generateAbility !== 'function' || typeof engine.hooks !== 'object') return;
  const known = new LRUCache<string, Ability>({ max: MAX_LISTS, ttl: LONGEST });
  const generate = engine.generateAbility.bind(engine);
  const ownHandlers = handlersOf(engine);

  engine.generateAbility = async (permissions, options) => {
    const recording = currentRecording();
    const isAsked = recording !== undefined && !recording.isWriteRequest && !recording.makesAnswer;
    if (!isAsked || Object.keys(options ?? {}).length > 0) return generate(permissions, options);
    const handlers = handlersOf(engine);
    if (handlers.length !== 1 || handlers[0] !== ownHandlers[0]) return generate(permissions, options);

    let key = '';
    for (const permission of permissions) {
      if (!isOnlyAction(permission)) return generate(permissions, options);
      const { action } = permission;
      // Strapi's own handler looks whether there is such an action. An action that does not exist has no effect.
      if (providers.action.has(action)) key += `${action}\n`;
    }
    let ability = known.get(key);
    if (ability === undefined) {
      ability = shareable(await generate(permissions, options));
      known.set(key, ability);
    }
    return abilityLike(ability);
  };
};

/** Abilities that are built once for many requests. */
const shared = new WeakSet<Ability>();

/**
 * The shared ability from which {@link abilityLike} has made a request's ability; `undefined` if it was not made so.
 */
export const sharedAbility = (ability: Ability): Ability | undefined => {
  const origin = Object.getPrototypeOf(ability) as Ability;
  return shared.has(origin) ? origin : undefined;
};

/** Makes an ability for one request, which inherits from `origin`. */
export const abilityLike = (origin: Ability): Ability => Object.create(origin) as Ability;

const handlersOf = ({ hooks }: PermissionEngine): readonly unknown[] => {
  const handlers: unknown[] = [];
  for (const name in hooks) for (const handler of hooks[name]?.getHandlers() ?? []) handlers.push(handler);
  return handlers;
};

const isOnlyAction = (permission: Permission): boolean => {
  for (const name in permission) if (name !== 'action') return false;
  return typeof permission.action === 'string';
};

/** Makes an ability that can be shared: `update` on an ability derived from it changes only the derived one. */
const shareable = (ability: Ability): Ability => {
  const { can, update } = Object.getPrototypeOf(ability) as Ability;
  const made = Object.create(ability, {
    update: {
      value(this: Ability, rules: unknown): Ability {
        update.call(this, rules);
        // Strapi's own `can` is bound to the ability it was made for.
        this.can = can;
        return this;
      },
    },
  }) as Ability;
  shared.add(made);
  return made;
};

import type { Identity } from './caller-identity';
import { StandIn } from './stand-in';

/** What was read of a caller, such as `ctx.state.user.id`. */
export type LookedAt = string;

export type Holder = Record<string, unknown>;

/**
 * Watches what is read of a user from the moment when Strapi has authenticated them: by policies, middlewares, the
 * handler, and all code that they call, however it finds the context. Strapi's own authorisation and sanitising look
 * whether there is a user, and at the ability, which is the same for all users of a role. Neither counts.
 */
export class CallerWatch {
  readonly identity: Identity;
  readonly role: Identity;
  /** What was read first that users of one role may differ in; `undefined` if nothing was. */
  lookedAt: LookedAt | undefined;
  readonly #ends: Array<() => void> = [];

  constructor(identity: Identity, role: Identity) {
    this.identity = identity;
    this.role = role;
  }

  /** Shows stand-ins in the place of what these properties hold. The value of all of them is the same object. */
  show(value: object, path: string, isHarmless: (name: string) => boolean, places: ReadonlyArray<[Holder, string]>) {
    const note = (looked: LookedAt): void => void (this.lookedAt ??= looked);
    const standIn = new StandIn(value, {
      read: (name) => (isHarmless(name) ? undefined : note(`${path}.${name}`)),
      readAll: () => note(path),
      // Which properties there are is the same for all users of a role: see `hasColumns`.
      mayHaveAskedFor: () => undefined,
    });
    for (const [holder, name] of places) holder[name] = standIn.take(false);
    this.#ends.push(() => {
      standIn.end();
      for (const [holder, name] of places) if (standIn.is(holder[name])) holder[name] = value;
    });
  }

  /** Runs code of the plugin's own, whose reads do not count. */
  unnoticed<T>(work: () => T): T {
    const before = this.lookedAt;
    try {
      return work();
    } finally {
      this.lookedAt = before;
    }
  }

  /** Puts the values themselves back. */
  end(): void {
    for (const end of this.#ends) end();
  }
}

import type { Core, UID } from '@strapi/strapi';
import { usesOf } from './closed-function';
import {
  factoryMethods,
  isOfStrapisPlugin,
  isStrapisOwnAction,
  type Methods,
  partsOf,
  replacedMethods,
} from './strapis-handlers';

/**
 * Whether a handler may wait for work that another request has begun. Its statements do not tell: a handler that waits
 * for another's promise beside a statement of its own sends the same ones at the same times as a handler that does not.
 * So its source text is read. Strapi's own code, and code that refers to nothing outside of itself but Strapi's, has no
 * way to come by others' work.
 *
 * @param action with its namespace: `api::article.article.find`; `undefined` if the handler is not named.
 */
export const mayShareWork = (strapi: Core.Strapi, action: string | undefined): boolean =>
  action === undefined ||
  !(
    isStrapisOwnAction(strapi, action) ||
    isOfStrapisPlugin(strapi, action) ||
    new ClosedCode(strapi).hasMethod('controller', ...partsOf(action))
  );

type Kind = 'controller' | 'service';

/** The parts of the application's code that refer to nothing outside of themselves but Strapi's code. */
class ClosedCode {
  readonly #strapi: Core.Strapi;
  /** Functions that are, or are being looked at: they may call each other. */
  readonly #seen = new Set<unknown>();

  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
  }

  hasMethod(kind: Kind, uid: string, name: string): boolean {
    const made = (
      kind === 'controller' ? this.#strapi.controller(uid as UID.Controller) : this.#strapi.service(uid as UID.Service)
    ) as Methods | null | undefined;
    if (!uid.startsWith('api::') || typeof made?.[name] !== 'function') return false;
    const base = factoryMethods(made, kind);
    if (base === undefined || !(name in base)) return this.#hasFunction(kind, uid, made[name]);
    return this.#seen.has(base) || this.#hasAll(kind, uid, made, base);
  }

  /** Strapi's methods call each other, and those of the content type's service: so all of them have to be closed. */
  #hasAll(kind: Kind, uid: string, made: Methods, base: Methods): boolean {
    this.#seen.add(base);
    return (
      replacedMethods(made, base).every((name) => this.#hasFunction(kind, uid, made[name])) &&
      (kind === 'service' || this.hasMethod('service', uid, 'getFetchParams'))
    );
  }

  #hasFunction(kind: Kind, uid: string, code: unknown): boolean {
    if (this.#seen.has(code)) return true;
    this.#seen.add(code);
    const uses = usesOf(code, kind === 'controller');
    return (
      uses !== undefined &&
      [...uses.methods].every((name) => this.hasMethod(kind, uid, name)) &&
      uses.services.every((used) => this.hasMethod('service', used.uid, used.method))
    );
  }
}

import { because, type Reason } from '../cache/response-cache';
import { said } from '../cache/sentence';
import type { Node } from './apollo';

/** Longest name of an operation, in characters, under which it is counted and shown. */
const MAX_NAME = 150;

/** Operations that are counted by their names. */
const MAX_NAMES = 200;

/** What is known of one operation of one document since Apollo Server has parsed and validated it in this process. */
export class Operation {
  readonly #endpoint: string;
  readonly #names: Set<string>;
  #name: string | undefined;
  /** Why its answers are never stored; `undefined` if they may be, or if nothing is known of it yet. */
  never: Reason | undefined;

  /** @param names of all operations: callers choose them, and each is counted on its own. */
  constructor(endpoint: string, names: Set<string>) {
    this.#endpoint = endpoint;
    this.#names = names;
  }

  get isKnown(): boolean {
    return this.#name !== undefined;
  }

  /** The endpoint, with the operation's name and its root fields: `/graphql Home { articles, homepage }`. */
  get line(): string {
    return this.#name === undefined ? this.#endpoint : `${this.#endpoint} ${this.#name}`;
  }

  learn({ operation = 'query', name, selectionSet }: Node, definitions: readonly Node[]): void {
    const roots = [...new Set(rootFields(selectionSet, definitions))];
    const called = `${operation === 'query' ? '' : `${operation} `}${name === undefined ? '' : `${name.value} `}`;
    const full = `${called}{ ${roots.join(', ')} }`;
    const shown = full.length > MAX_NAME ? `${full.slice(0, MAX_NAME)}…` : full;
    this.#name = this.#names.size < MAX_NAMES || this.#names.has(shown) ? shown : '…';
    this.#names.add(this.#name);
    if (operation !== 'query') this.never = because('operation', said('a-kind')`a ${operation}`);
    else if (roots.some((root) => root === '__schema' || root === '__type'))
      this.never = because('operation', said('introspection')`introspection`);
  }
}

const rootFields = (set: Node['selectionSet'], definitions: readonly Node[], depth = 0): string[] =>
  (set?.selections ?? []).flatMap((selection) => {
    const { kind, name } = selection;
    if (kind === 'Field') return name === undefined ? [] : [name.value];
    const isSpread = ({ operation, name: other }: Node): boolean =>
      operation === undefined && other?.value === name?.value;
    const fragment = kind === 'FragmentSpread' ? definitions.find(isSpread) : selection;
    // Apollo Server has validated the document: fragments do not form a circle. The limit only guards against that.
    return depth > 50 ? [] : rootFields(fragment?.selectionSet, definitions, depth + 1);
  });

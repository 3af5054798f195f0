import { because, type Reason } from '../cache/response-cache';
import { said } from '../cache/sentence';

/** A node of a document, as graphql-js makes it: a definition, or what one selects. */
interface Node {
  /** Among others `Field`, `FragmentSpread`, `InlineFragment` and `FragmentDefinition`. */
  readonly kind: string;
  readonly name?: { readonly value: string };
  readonly selectionSet?: { readonly selections: readonly Node[] };
}

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

  learn(asked: Node & { readonly operation: string }, definitions: readonly Node[]): void {
    const { operation, name } = asked;
    const roots = rootFields(asked, definitions);
    const called = `${operation === 'query' ? '' : `${operation} `}${name === undefined ? '' : `${name.value} `}`;
    const full = `${called}{ ${[...roots].join(', ')} }`;
    const shown = full.length > MAX_NAME ? `${full.slice(0, MAX_NAME)}…` : full;
    this.#name = this.#names.size < MAX_NAMES || this.#names.has(shown) ? shown : '…';
    this.#names.add(this.#name);
    if (operation !== 'query') this.never = because('operation', said('a-kind')`a ${operation}`);
    else if (roots.has('__schema') || roots.has('__type'))
      this.never = because('operation', said('introspection')`introspection`);
  }
}

/** The names of the fields that an operation selects, also by fragments. A fragment may be named any number of times. */
const rootFields = ({ selectionSet }: Node, definitions: readonly Node[]): ReadonlySet<string> => {
  const fragments = new Map(
    definitions.map((each) => [each.kind === 'FragmentDefinition' ? each.name?.value : undefined, each]),
  );
  const fields = new Set<string>();
  // Grows while it is walked.
  const sets = new Set([selectionSet]);
  for (const set of sets)
    for (const selection of set?.selections ?? []) {
      const { kind, name } = selection;
      if (kind === 'Field') fields.add(String(name?.value));
      else sets.add((kind === 'FragmentSpread' ? fragments.get(name?.value) : selection)?.selectionSet);
    }
  return fields;
};

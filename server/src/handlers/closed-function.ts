import { parse, type AnyNode } from 'acorn';

/**
 * What a function uses of the object that it belongs to, and of the application's services. All else that it uses is
 * its own, or Strapi's.
 */
export interface Uses {
  /** Methods that it calls on `this` or `super`. */
  readonly methods: ReadonlySet<string>;
  readonly services: ReadonlyArray<{ readonly uid: string; readonly method: string }>;
}

/** What the language provides, as far as nothing can be shared with other requests through it. */
const LANGUAGE: ReadonlySet<string> = new Set([
  ...['Array', 'BigInt', 'Boolean', 'Date', 'Infinity', 'Intl', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object'],
  ...['Promise', 'RegExp', 'Set', 'String', 'URL', 'URLSearchParams', 'undefined', 'console', 'structuredClone'],
  ...['Error', 'TypeError', 'RangeError', 'isFinite', 'isNaN', 'parseFloat', 'parseInt'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent'],
]);

/** What Strapi provides. Code of the application may have put other things on these objects. */
const OF_STRAPI: ReadonlySet<string> = new Set([
  'auth',
  'contentAPI',
  'contentType',
  'contentTypes',
  'db',
  'documents',
  'entityService',
  'getModel',
  'log',
  'query',
]);

/** What Koa and Strapi provide on a context and on its request. */
const OF_REQUEST: readonly string[] = [
  ...['body', 'files', 'get', 'header', 'headers', 'host', 'hostname', 'href', 'ip', 'method', 'origin', 'params'],
  ...['path', 'protocol', 'query', 'querystring', 'secure', 'search', 'url'],
];
const OF_CONTEXT: ReadonlySet<string> = new Set([
  ...OF_REQUEST,
  ...['append', 'attachment', 'badRequest', 'forbidden', 'lastModified', 'length', 'message', 'notFound', 'redirect'],
  ...['remove', 'send', 'set', 'status', 'throw', 'type', 'unauthorized', 'vary'],
]);
const BELOW: Readonly<Record<string, ReadonlySet<string>>> = {
  request: new Set(OF_REQUEST),
  state: new Set(['auth', 'route', 'user']),
};

const NOTHING: ReadonlySet<string> = new Set();
const readBefore = new WeakMap<object, Uses | undefined>();

/**
 * Reads a function's source text, and finds what it uses. `undefined` if it refers to anything through which it may
 * share work with other requests: a variable around it, an import, a property of `this`, of `strapi` or of the context
 * that Strapi has not put there. A function that refers to nothing of that kind waits only for what it has begun.
 *
 * @param takesContext whether its first parameter is a Koa context.
 */
export const usesOf = (fn: unknown, takesContext: boolean): Uses | undefined => {
  if (typeof fn !== 'function') return undefined;
  if (!readBefore.has(fn)) readBefore.set(fn, read(Function.prototype.toString.call(fn), takesContext));
  return readBefore.get(fn);
};

const read = (text: string, takesContext: boolean): Uses | undefined => {
  const written = parsed(text);
  if (written === undefined) return undefined;
  try {
    const reader = new Reader(takesContext ? written.params[0] : undefined);
    // Under its own name, it would find what it has left on itself.
    const names = [...reader.free({ ...written, id: null })].filter((name) => !LANGUAGE.has(name));
    return names.length === 0 ? reader : undefined;
  } catch (error) {
    if (error instanceof Reaches) return undefined;
    throw error;
  }
};

type FunctionNode = Extract<AnyNode, { params: unknown }>;

/** The function with this source text, which is that of a method or of an expression. */
const parsed = (text: string): FunctionNode | undefined => {
  for (const source of [`({${text}})`, `(${text})`]) {
    try {
      const [statement] = parse(source, { ecmaVersion: 'latest' }).body;
      if (statement?.type !== 'ExpressionStatement') continue;
      const { expression } = statement;
      if (expression.type === 'FunctionExpression' || expression.type === 'ArrowFunctionExpression') return expression;
      const [property] = expression.type === 'ObjectExpression' ? expression.properties : [];
      if (property?.type === 'Property' && property.value.type === 'FunctionExpression') return property.value;
    } catch {
      // Its text is of the other kind, or is not given, as that of bound and of native functions.
    }
  }
  return undefined;
};

/** The function refers to something through which it may share work. */
class Reaches extends Error {}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

const childrenOf = (node: AnyNode): AnyNode[] => (Object.values(node) as unknown[]).flat().filter(isNode);

/** `ctx.state.user` as a name and the properties below it, up to the first whose name is computed. */
interface Chain {
  readonly root: AnyNode;
  readonly names: readonly string[];
  /** The expressions that compute names. */
  readonly computed: readonly AnyNode[];
}

const chainOf = (node: AnyNode): Chain => {
  if (node.type === 'ChainExpression') return chainOf(node.expression);
  if (node.type !== 'MemberExpression') return { root: node, names: [], computed: [] };
  const { root, names, computed } = chainOf(node.object);
  if (!node.computed && computed.length === 0 && node.property.type === 'Identifier')
    return { root, names: [...names, node.property.name], computed };
  return { root, names, computed: node.computed ? [...computed, node.property] : computed };
};

class Reader implements Uses {
  readonly methods = new Set<string>();
  readonly services: Array<{ readonly uid: string; readonly method: string }> = [];
  /** The name of the function's first parameter, which may be a context; or its pattern. */
  readonly #context: string | undefined;

  constructor(first: AnyNode | undefined) {
    this.#context = first?.type === 'Identifier' ? first.name : undefined;
    if (first?.type === 'ObjectPattern') this.#takeFromContext(first, []);
  }

  /**
   * The names that a node uses and does not declare.
   *
   * @throws Reaches
   */
  free(node: AnyNode): ReadonlySet<string> {
    switch (node.type) {
      case 'Identifier':
        if (node.name === this.#context) throw new Reaches();
        return new Set([node.name]);
      case 'ThisExpression':
      case 'Super':
      case 'ImportExpression':
      case 'MetaProperty':
      case 'ClassExpression':
      case 'ClassDeclaration':
        throw new Reaches();
      case 'MemberExpression':
      case 'ChainExpression':
        return this.#ofChain(node);
      case 'CallExpression':
        return this.#ofCall(node);
      case 'Property':
        return this.#ofAll([...(node.computed ? [node.key] : []), node.value]);
      case 'VariableDeclarator':
        return this.#ofDeclarator(node);
      case 'FunctionExpression':
      case 'FunctionDeclaration':
      case 'ArrowFunctionExpression':
        return without(this.#ofAll([...node.params.filter((each) => !this.#isContext(each)), node.body]), [
          ...node.params.flatMap(namesIn),
          ...(node.id ? [node.id.name] : []),
        ]);
      case 'LabeledStatement':
        return this.free(node.body);
      case 'BreakStatement':
      case 'ContinueStatement':
        return NOTHING;
      default:
        return without(this.#ofAll(childrenOf(node)), declaredIn(node));
    }
  }

  #ofAll(nodes: readonly AnyNode[]): ReadonlySet<string> {
    return new Set(nodes.flatMap((node) => [...this.free(node)]));
  }

  #isContext(node: AnyNode): boolean {
    return node.type === 'Identifier' && node.name === this.#context;
  }

  #ofChain(node: AnyNode): ReadonlySet<string> {
    const { root, names, computed } = chainOf(node);
    const ofNames = this.#ofAll(computed);
    if (this.#isContext(root)) {
      if (!isOfContext(names)) throw new Reaches();
      return ofNames;
    }
    if (root.type === 'Identifier' && root.name === 'strapi') {
      if (!OF_STRAPI.has(names[0] ?? '')) throw new Reaches();
      return ofNames;
    }
    return new Set([...this.free(root), ...ofNames]);
  }

  #ofCall(node: Extract<AnyNode, { type: 'CallExpression' }>): ReadonlySet<string> {
    const { root, names, computed } = chainOf(node.callee);
    const [name = ''] = names;
    const isOnly = names.length === 1 && computed.length === 0;
    if (isOnly && (root.type === 'ThisExpression' || root.type === 'Super')) {
      this.methods.add(name);
      return this.#ofAll(node.arguments.filter((each) => !this.#isContext(each)));
    }
    const uid = isOnly ? serviceOf(root) : undefined;
    if (uid === undefined) return this.#ofAll([node.callee, ...node.arguments]);
    this.services.push({ uid, method: name });
    return this.#ofAll(node.arguments);
  }

  /** `const { query } = ctx` uses `ctx.query`. */
  #ofDeclarator({ id, init }: Extract<AnyNode, { type: 'VariableDeclarator' }>): ReadonlySet<string> {
    if (init && id.type === 'ObjectPattern') {
      const { root, names, computed } = chainOf(init);
      if (this.#isContext(root) && computed.length === 0) {
        this.#takeFromContext(id, names);
        return this.free(id);
      }
    }
    return this.#ofAll(init ? [id, init] : [id]);
  }

  #takeFromContext({ properties }: Extract<AnyNode, { type: 'ObjectPattern' }>, below: readonly string[]): void {
    for (const property of properties) {
      if (property.type === 'RestElement' || property.computed || property.key.type !== 'Identifier')
        throw new Reaches();
      const names = [...below, property.key.name];
      if (isOfContext(names)) continue;
      if (property.value.type !== 'ObjectPattern') throw new Reaches();
      this.#takeFromContext(property.value, names);
    }
  }
}

/** Whether Koa or Strapi provides this on a context: `['state', 'user']`. */
const isOfContext = ([first = '', second = '']: readonly string[]): boolean =>
  OF_CONTEXT.has(first) || BELOW[first]?.has(second) === true;

/** The uid in `strapi.service('api::article.article')`. */
const serviceOf = (node: AnyNode): string | undefined => {
  if (node.type !== 'CallExpression') return undefined;
  const { root, names } = chainOf(node.callee);
  const [uid] = node.arguments;
  if (root.type !== 'Identifier' || root.name !== 'strapi' || names.join('.') !== 'service') return undefined;
  return uid?.type === 'Literal' && typeof uid.value === 'string' ? uid.value : undefined;
};

const without = (names: ReadonlySet<string>, declared: readonly string[]): ReadonlySet<string> =>
  new Set([...names].filter((name) => !declared.includes(name)));

/** The names that a pattern declares. */
const namesIn = (pattern: AnyNode): string[] => {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'Property':
      return namesIn(pattern.value);
    case 'ObjectPattern':
      return pattern.properties.flatMap(namesIn);
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each === null ? [] : namesIn(each)));
    default:
      return [];
  }
};

/** The names that are declared directly in a block, in a loop's head, or for the error that is caught. */
const declaredIn = (node: AnyNode): string[] => {
  if (node.type === 'CatchClause') return node.param ? namesIn(node.param) : [];
  return childrenOf(node).flatMap((child) => {
    if (child.type === 'SwitchCase') return declaredIn(child);
    if (child.type === 'FunctionDeclaration') return child.id ? [child.id.name] : [];
    return child.type === 'VariableDeclaration' ? child.declarations.flatMap(({ id }) => namesIn(id)) : [];
  });
};

import { buildSchema, getOperationAST, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { Operation, type OperationSettings } from '../../../server/src/graphql/operation';

const schema = buildSchema(`
  interface Named { name: String }
  type Hall implements Named { name: String, events: [Event!]! }
  type Office implements Named { name: String }
  type Event { title: String, place: Place }
  union Place = Hall | Office
  type Query { halls: [Hall!]!, events: [Event], named: [Named], viewer: Query }
  type Mutation { open: Hall }
`);

interface Application {
  /** A field with policies, such as `Hall.name`. */
  readonly guarded?: string;
  /** A field that the application resolves. */
  readonly custom?: string;
  readonly repeatable?: boolean;
}

const learned = (query: string, { guarded, custom, repeatable = false }: Application = {}): Operation => {
  const settings: OperationSettings = {
    layer: { path: '/graphql' },
    settings: { repeatable },
    kindOf: ({ parentType, fieldName }) => {
      const name = `${parentType.name}.${fieldName}`;
      return name === guarded ? 'guarded' : name === custom ? 'custom' : 'own';
    },
  };
  const document = parse(query);
  const operation = new Operation(settings, new Set());
  const asked = getOperationAST(document);
  if (asked) operation.learn(asked, document.definitions, schema);
  return operation;
};

describe('an operation', () => {
  it('is shown with its root fields, each once, also those of fragments', () => {
    const { line, never } = learned(`
      query Home { shown: halls { name } ...Rest ... on Query { halls { events { title } } } }
      fragment Rest on Query { events { title } ...Rest }`);
    expect([line, never]).toEqual(['/graphql Home { halls, events }', undefined]);
  });

  it.each([
    ['a mutation', 'mutation Open { open { name } }'],
    ['introspection', '{ halls { name } ...X } fragment X on Query { ... { __schema { description } } }'],
    ['introspection', '{ viewer { ...X } ... { ...X } } fragment X on Query { __type(name: "Hall") { name } }'],
  ])('is never stored as %s', (why, query) => {
    expect(learned(query).never?.detail).toBe(why);
  });

  it.each([
    ['in a list', '{ halls { name } }'],
    ['that is skipped', 'query ($no: Boolean!) { events { title } halls { name @include(if: $no) } }'],
    ['of an interface', '{ named { name } }'],
    ['of a member of a union', '{ events { place { ... on Office { name } ... on Hall { name } } } }'],
    ['of a fragment', '{ events { place { ...X } } } fragment X on Named { name }'],
  ])('is never stored with a field %s that has policies, unless that is repeatable', (_where, query) => {
    const { never } = learned(query, { guarded: 'Hall.name' });
    expect([never?.code, never?.about]).toEqual(['guarded', 'Hall.name']);
    expect(learned(query, { guarded: 'Hall.name', repeatable: true }).never).toBeUndefined();
    expect(learned(query, { guarded: 'Hall.events' }).never).toBeUndefined();
  });

  it('may share work where it selects a field of the application', () => {
    expect(learned('{ events { place { ... on Office { name } } } }', { custom: 'Office.name' }).hasCustom).toBe(true);
    expect(learned('{ events { place { ... on Hall { name } } } }', { custom: 'Office.name' }).hasCustom).toBe(false);
  });

  it('has each of its fragments looked at once, however often others name it', () => {
    const fragments = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);
    const { line } = learned(`{ ...F0 } ${fragments.join(' ')} fragment F40 on Query { halls { name } }`);
    expect(line).toBe('/graphql { halls }');
  });
});

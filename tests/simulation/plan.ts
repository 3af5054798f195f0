import fc, { type Arbitrary } from 'fast-check';
import type { MessageFate } from './chaos-provider';
import { ROWS, type CommitFate } from './database-model';
import { PAGES } from './origin';

export type WriterStep =
  | { readonly do: 'write'; readonly row: number }
  | { readonly do: 'savepoint' }
  | { readonly do: 'roll back to savepoint' }
  | { readonly do: 'release savepoint' };

export type Ending = CommitFate | 'rolled back';

/** What the handler of one request does. */
export type Treatment =
  | 'plain'
  /** The handler runs for a long time after its last read. */
  | 'slow'
  /** The handler reads in a transaction of its own. */
  | 'transactional'
  /** In a transaction of its own, the handler writes before it reads, and then rolls back. */
  | 'tentative'
  /** The response is for this caller only. */
  | 'private'
  /** The handler throws. */
  | 'failing';

/** An actor in one of the processes, which does one thing after the other. */
export type Actor = { readonly process: number } & (
  | {
      readonly role: 'reader';
      readonly requests: ReadonlyArray<{ readonly page: number; readonly treatment: Treatment }>;
    }
  /** A write outside any transaction. */
  | { readonly role: 'editor'; readonly row: number; readonly commit: CommitFate }
  | { readonly role: 'writer'; readonly steps: readonly WriterStep[]; readonly ending: Ending }
  /** Requests a page within its own transaction, so that the page is computed from uncommitted writes. */
  | { readonly role: 'insider'; readonly steps: readonly WriterStep[]; readonly page: number; readonly ending: Ending }
  | { readonly role: 'admin'; readonly act: 'reset' | 'purge' | 'delete'; readonly page: number }
  | { readonly role: 'time'; readonly milliseconds: number }
  | { readonly role: 'crash' }
);

/** The plan of one small world. */
export interface Plan {
  /** How many entries the store holds before it evicts. */
  readonly maxSize: number;
  readonly precision: 'table' | 'document';
  /** Whether every COMMIT takes a long time. */
  readonly slowCommits: boolean;
  readonly isolation: 'read committed' | 'repeatable read';
  /** How far each process's clock is ahead of the store's, in milliseconds. */
  readonly skews: readonly number[];
  readonly actors: readonly Actor[];
  /** The fates of the messages to the store, in the order in which they are sent. */
  readonly fates: readonly MessageFate[];
}

/** The kind of installation that is simulated. */
export interface Installation {
  /** `memory`: the store is in the process and answers at once. `shared`: every process sends messages to it. */
  readonly store: 'memory' | 'shared';
  readonly processes: number;
  /** Whether statements of a transaction are sent without waiting for each other's outcome, as with `Promise.all`. */
  readonly overlapping?: boolean;
}

const page = fc.nat(PAGES.length - 1);

/** The pages that one world uses. With only one, all requests meet; with several, one write concerns some of them. */
const pages = fc.constantFrom([1], [3], [0, 1], [1, 2], [0, 1, 2, 3]);

const withPagesOf =
  (pool: readonly number[]) =>
  (actor: Actor): Actor => {
    const chosen = (index: number): number => pool[index % pool.length] ?? 0;
    if (actor.role === 'reader') {
      return { ...actor, requests: actor.requests.map((request) => ({ ...request, page: chosen(request.page) })) };
    }
    return 'page' in actor ? { ...actor, page: chosen(actor.page) } : actor;
  };
const row = fc.nat(ROWS.length - 1);

const writerStep: Arbitrary<WriterStep> = fc.oneof(
  { weight: 4, arbitrary: row.map((row): WriterStep => ({ do: 'write', row })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<WriterStep>(
      { do: 'savepoint' },
      { do: 'roll back to savepoint' },
      { do: 'release savepoint' },
    ),
  },
);

const commit = fc.constantFrom<CommitFate>('carried out', 'carried out', 'carried out', 'refused', 'unanswered');

const ending = fc.constantFrom<Ending>(
  'carried out',
  'carried out',
  'carried out',
  'rolled back',
  'refused',
  'unanswered',
);

const treatment = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Treatment>('plain') },
  { weight: 4, arbitrary: fc.constantFrom<Treatment>('slow', 'transactional', 'tentative', 'private', 'failing') },
);

const fates = fc.array(
  fc.constantFrom<MessageFate>('answered', 'answered', 'answered', 'slow', 'slow', 'lost', 'unanswered', 'late'),
  { maxLength: 10 },
);

/**
 * Plans that fit an installation. They are small on purpose: faults appear between a handful of actors, and many
 * schedules of small worlds find them sooner than few schedules of large ones.
 */
export const planFor = ({ store, processes }: Installation): Arbitrary<Plan> => {
  const process = fc.nat(processes - 1);
  const reader = fc.record({
    process,
    role: fc.constant('reader' as const),
    requests: fc.array(fc.record({ page, treatment }), { minLength: 1, maxLength: 3 }),
  });
  const editor = fc.record({ process, role: fc.constant('editor' as const), row, commit });
  const steps = fc.array(writerStep, { minLength: 1, maxLength: 4 });
  const writer = fc.record({ process, role: fc.constant('writer' as const), steps, ending });
  const insider = fc.record({ process, role: fc.constant('insider' as const), steps, page, ending });
  const admin = fc.record({
    process,
    role: fc.constant('admin' as const),
    act: fc.constantFrom('reset' as const, 'purge' as const, 'delete' as const),
    page,
  });
  const time = fc.record({ process, role: fc.constant('time' as const), milliseconds: fc.constantFrom(5, 20, 200) });
  const crash = fc.record({ process, role: fc.constant('crash' as const) });

  const others: Arbitrary<Actor> =
    store === 'shared'
      ? fc.oneof(reader, writer, insider, admin, time, crash)
      : fc.oneof(reader, writer, insider, admin, time);
  return fc
    .record({
      readers: fc.array(reader, { minLength: 1, maxLength: 3 }),
      writers: fc.array(fc.oneof(editor, writer), { minLength: 1, maxLength: 2 }),
      others: fc.array(others, { maxLength: 2 }),
      pages,
      maxSize: fc.integer({ min: 1, max: PAGES.length }),
      precision: fc.constantFrom('document' as const, 'table' as const),
      slowCommits: fc.boolean(),
      isolation: fc.constantFrom('read committed' as const, 'repeatable read' as const),
      skews: fc.array(fc.constantFrom(0, 0, -30, 30), { minLength: processes, maxLength: processes }),
      fates:
        store === 'shared'
          ? fc.oneof({ weight: 1, arbitrary: fc.constant<MessageFate[]>([]) }, { weight: 1, arbitrary: fates })
          : fc.constant<MessageFate[]>([]),
    })
    .map(({ readers, writers, others, pages, ...plan }) => ({
      ...plan,
      skews: store === 'shared' ? plan.skews : plan.skews.map(() => 0),
      actors: [...readers, ...writers, ...others].map(withPagesOf(pages)),
    }));
};

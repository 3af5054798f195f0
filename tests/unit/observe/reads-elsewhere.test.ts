import { named } from '../../../server/src/cache/sentence';
import { beforeEach, describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence, type Sequence } from '../../../server/src/cache/sequence';
import { tag } from '../../../server/src/cache/tag';
import { rowTag, tableTag, wholeTableTags } from '../../../server/src/dependencies/tags';
import { Recording } from '../../../server/src/observe/recording';
import { ReadsElsewhere } from '../../../server/src/observe/reads-elsewhere';

let now: number;
let known: Sequence | undefined;
let elsewhere: ReadsElsewhere;
beforeEach(() => {
  now = 0;
  known = sequence(7);
  elsewhere = new ReadsElsewhere({ now: () => milliseconds(now) }, () => known);
});

/** A request that is under way until `end` is called. */
const request = (since: number | null = 3): { recording: Recording; end: () => Promise<void> } => {
  const recording = new Recording({ since: since === null ? undefined : sequence(since) });
  let end = (): void => undefined;
  const over = elsewhere.during(recording, () => new Promise<void>((resolve) => (end = resolve)));
  return { recording, end: async () => (end(), over) };
};

const background = (name: string): Promise<void> =>
  elsewhere.inBackground(false, async (recording) => recording.readContent([tag(name)]));

const taken = ({ recording }: { recording: Recording }): string[] => [...(elsewhere.beside(recording)?.tags ?? [])];

describe('a request takes', () => {
  it('what others under way have read, also before it came, and nothing of its own', async () => {
    const other = request();
    other.recording.readContent([tag('a!')]);
    const own = request();
    own.recording.readContent([tag('own!')]);
    other.recording.readContent([tag('b!')]);
    expect(taken(own)).toEqual(['a!', 'b!']);
    await other.end();
    expect(taken(own)).toEqual(['a!', 'b!']);
  });

  it('nothing of a request that was over when it came', async () => {
    const other = request();
    other.recording.readContent([tag('a!')]);
    const third = request();
    await other.end();
    expect(taken(request())).toEqual([]);
    expect(taken(third)).toEqual(['a!']);
  });

  it('what a request that is over was still reading when it came', async () => {
    const other = request();
    other.recording.beginRead();
    await other.end();
    const own = request();
    other.recording.endRead([tag('late!')]);
    expect(taken(own)).toEqual(['late!']);
  });

  it('what a request that is over has read, until the last of its statements is answered', async () => {
    const other = request();
    for (let statement = 0; statement < 2; statement += 1) other.recording.beginRead();
    await other.end();
    other.recording.endRead([tag('a!')]);
    expect(taken(request())).toEqual(['a!']);
    other.recording.endRead([]);
    expect(taken(request())).toEqual([]);
  });

  it('what others had read, although one that is over sends another statement late', async () => {
    const own = request();
    const third = request();
    third.recording.readContent([tag('third!')]);
    await third.end();
    const other = request();
    other.recording.beginRead();
    await other.end();
    other.recording.endRead([tag('a!')]);
    // The read began during the request, but was delayed because its connection was first asked what names mean.
    other.recording.beginRead();
    other.recording.endRead([tag('late!')]);
    expect(taken(own)).toEqual(['third!', 'a!', 'late!']);
  });

  it('what one that is over, and has read nothing before, reads late', async () => {
    const other = request();
    const own = request();
    await other.end();
    other.recording.beginRead();
    other.recording.endRead([tag('late!')]);
    expect(taken(own)).toEqual(['late!']);
  });

  it('what was read in the background since the oldest request began that was under way when it came', async () => {
    await background('long-ago!');
    const oldest = request();
    await background('before!');
    const own = request();
    await background('meanwhile!');
    await oldest.end();
    expect(taken(own)).toEqual(['before!', 'meanwhile!']);
    expect(elsewhere.beside(own.recording)?.since).toBe(7);
  });

  it('what was being read in the background when it came', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const statement = elsewhere.inBackground(false, async (recording) => {
      await answered;
      recording.readContent([tag('slow!')]);
    });
    const own = request();
    answer();
    await statement;
    expect(taken(own)).toEqual(['slow!']);
  });

  it('that nothing may be kept of a background transaction that was under way, or has gone on, since', () => {
    const before = request();
    const transaction = elsewhere.ofTransaction(false);
    transaction.recording.forbidStoring(named('it was read inside a transaction'));
    const during = request();
    const [first, second] = [elsewhere.beside(before.recording), elsewhere.beside(during.recording)];
    expect(first?.unstorable?.text).toMatch(/inside a transaction/);
    expect(second?.unstorable?.text).toMatch(/inside a transaction/);
    now = 10_001;
    expect(elsewhere.beside(request().recording)).toBeUndefined();
    elsewhere.goesOn(transaction.recording);
    const late = request();
    expect(elsewhere.beside(late.recording)?.unstorable?.text).toMatch(/inside a transaction/);
    transaction.end();
    expect(elsewhere.beside(late.recording)?.unstorable?.text).toMatch(/inside a transaction/);
    expect(elsewhere.beside(request().recording)).toBeDefined();
  });

  it('nothing of a background transaction that had ended when the oldest request came', () => {
    const transaction = elsewhere.ofTransaction(false);
    transaction.recording.forbidStoring(named('it was read inside a transaction'));
    transaction.end();
    expect(elsewhere.beside(request().recording)).toBeUndefined();
  });

  it('nothing of what had been under way for longer than ten seconds, which is for nobody to wait for', async () => {
    const hanging = request();
    hanging.recording.readContent([tag('a!')]);
    now = 10_001;
    const own = request();
    expect(taken(own)).toEqual([]);
    await hanging.end();
    expect(taken(own)).toEqual([]);
  });

  it('the earliest of the numbers, and none where one is not known', () => {
    const [one, other] = [request(5), request(4)];
    for (const { recording } of [one, other]) recording.readContent([tag('a!')]);
    const own = request(6);
    expect(elsewhere.beside(own.recording)?.since).toBe(4);
    request(null).recording.readContent([tag('b!')]);
    expect(elsewhere.beside(own.recording)?.since).toBeUndefined();
  });

  it('what forbids storing', () => {
    const other = request();
    other.recording.forbidStoring(named('it read a view'));
    expect(elsewhere.beside(request().recording)?.unstorable?.text).toBe('it read a view');
  });
});

describe('however much is read beside a request', () => {
  it('a table of another schema is taken by its whole name', async () => {
    const own = request();
    for (let index = 0; index < 600; index += 1) {
      const other = request();
      other.recording.readContent([tableTag('other.articles'), rowTag('other.articles', String(index))]);
      await other.end();
    }
    expect(taken(own)).toEqual(expect.arrayContaining(wholeTableTags('other.articles')));
  });

  it('its tables are taken, and nothing is lost', async () => {
    const own = request();
    for (let index = 0; index < 1500; index += 1) {
      const other = request(index === 3 ? 1 : 5);
      other.recording.readContent([tag(`table${index % 3}#${index}`)]);
      await other.end();
    }
    const found = elsewhere.beside(own.recording);
    expect(found?.since).toBe(1);
    expect(new Set([...(found?.tags ?? [])].filter((name) => /[!*]$/.test(name)))).toEqual(
      new Set([0, 1, 2].flatMap((table) => [`table${table}!`, `table${table}*`])),
    );
    expect(found?.tags.size).toBeLessThan(1000);
  });

  it('an answer is not stored if some of it is not remembered any more, and a later one is', async () => {
    const own = request();
    for (let index = 0; index < 2000; index += 1) await background('table!');
    expect(elsewhere.beside(own.recording)?.unstorable?.text).toBeUndefined();
    await background('table!');
    expect(elsewhere.beside(own.recording)?.unstorable?.text).toMatch(/more was read/);
    // One that comes while the first is under way may wait for the same work.
    const late = request();
    await own.end();
    expect(elsewhere.beside(late.recording)?.unstorable?.text).toMatch(/more was read/);
    await late.end();
    const next = request();
    await background('table!');
    expect(elsewhere.beside(next.recording)?.unstorable?.text).toBeUndefined();
    expect(taken(next)).toEqual(['table!']);
  });
});

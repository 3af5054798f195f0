import { beforeEach, describe, expect, it } from 'vitest';
import { OpenTransaction } from '../../../server/src/observe/open-transactions';

/** The statements sent to the database, in their order. */
let sent: string[];
let transaction: OpenTransaction;

beforeEach(() => {
  sent = [];
  transaction = new OpenTransaction(undefined);
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A read that is never answered. */
const read = (name: string): Promise<string> =>
  transaction.inTurn(() => {
    sent.push(name);
    return { answer: new Promise(() => undefined), isSent: true };
  }, false);

/** A write that looks at rows until the test ends the look. */
const lookingWrite = (name: string): { done: () => void; fail: (error: Error) => void; answer: Promise<void> } => {
  let done = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const looked = new Promise<void>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  const look = async (): Promise<void> => {
    sent.push(`${name} looks`);
    await looked;
    sent.push(name);
  };
  const answer = transaction.inTurn(() => ({ answer: look(), isSent: false }), true);
  return { done, fail, answer };
};

/** A write that is sent without looking at any row. */
const plainWrite = (name: string): Promise<void> =>
  transaction.inTurn(() => {
    sent.push(name);
    return { answer: new Promise(() => undefined), isSent: true };
  }, false);

describe('statements of one transaction', () => {
  it('go at once where nothing is looked at', () => {
    void read('first');
    void plainWrite('second');
    void read('third');
    expect(sent).toEqual(['first', 'second', 'third']);
  });

  it('wait for a write that looks at rows, and for no answer', async () => {
    const { done } = lookingWrite('update');
    void read('first');
    void plainWrite('second');
    void read('third');
    await settled();
    expect(sent).toEqual(['update looks']);
    done();
    await settled();
    expect(sent).toEqual(['update looks', 'update', 'first', 'second', 'third']);
  });

  it('wait for each of several such writes', async () => {
    const first = lookingWrite('update');
    void read('between');
    const second = lookingWrite('delete');
    void read('after');
    first.done();
    await settled();
    expect(sent).toEqual(['update looks', 'update', 'between', 'delete looks']);
    second.done();
    await settled();
    expect(sent.slice(4)).toEqual(['delete', 'after']);
  });

  it('do not overtake those that were waiting, however late they come', async () => {
    const { done, answer } = lookingWrite('update');
    void read('waiting');
    // One read at each of the moments between the end of the write and the sending of the statements that wait for it.
    void answer.then(async () => {
      for (let moment = 0; moment < 5; moment += 1) {
        void read(`late ${moment}`);
        await Promise.resolve();
      }
    });
    done();
    await settled();
    expect(sent.slice(2)).toEqual(['waiting', 'late 0', 'late 1', 'late 2', 'late 3', 'late 4']);
  });

  it('go on after one that failed, which may have ended the transaction', async () => {
    const { fail, answer } = lookingWrite('update');
    void read('next');
    fail(new Error('deadlock'));
    await expect(answer).rejects.toThrow('deadlock');
    await settled();
    expect(sent).toEqual(['update looks', 'next']);
    expect(transaction.mayBeOver).toBe(true);
  });

  it('are not kept waiting by a write that looked at rows once it is done', async () => {
    const { done } = lookingWrite('update');
    void read('waiting');
    done();
    await settled();
    void read('next');
    expect(sent).toEqual(['update looks', 'update', 'waiting', 'next']);
  });

  it('may end the transaction where a read fails', async () => {
    const send = () => ({ answer: Promise.reject<never>(new Error('deadlock')), isSent: true });
    await transaction.inTurn(send, true).catch(() => undefined);
    await settled();
    expect(transaction.mayBeOver).toBe(true);
  });
});

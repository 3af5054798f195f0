import { describe, expect, it } from 'vitest';
import { Follower } from '../../../server/src/providers/redis/follower';

/** Questions that are answered only when the test says so. */
const questions = (): { follower: Follower; sent: Array<() => void>; fail: Array<(error: Error) => void> } => {
  const sent: Array<() => void> = [];
  const fail: Array<(error: Error) => void> = [];
  const follower = new Follower(
    () =>
      new Promise((resolve, reject) => {
        sent.push(resolve);
        fail.push(reject);
      }),
  );
  return { follower, sent, fail };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('following the sequence', () => {
  it('sends one question for all who ask in the same moment', async () => {
    const { follower, sent } = questions();
    const all = [follower.confirm(), follower.confirm(), follower.confirm()];
    await turn();
    expect(sent.length).toBe(1);
    sent[0]?.();
    await Promise.all(all);
  });

  it('never answers with a question that was sent before it was asked', async () => {
    const { follower, sent } = questions();
    void follower.confirm();
    await turn();
    let answered = false;
    const late = follower.confirm().then(() => (answered = true));
    const alsoLate = follower.confirm();
    sent[0]?.();
    await turn();
    expect(answered).toBe(false);
    expect(sent.length).toBe(2);
    sent[1]?.();
    await Promise.all([late, alsoLate]);
  });

  it('asks anew after a failure, and fails only those who waited for it', async () => {
    const { follower, sent, fail } = questions();
    const first = follower.confirm();
    const outcome = first.then(
      () => 'answered',
      () => 'failed',
    );
    await turn();
    const second = follower.confirm();
    fail[0]?.(new Error('away'));
    expect(await outcome).toBe('failed');
    await turn();
    sent[1]?.();
    await second;
  });
});

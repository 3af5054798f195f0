import { expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import { tag, type Tag } from '../../../server/src/cache/tag';
import type { Commands, FollowReply } from '../../../server/src/providers/redis/commands';
import { Following } from '../../../server/src/providers/redis/following';
import type { Link } from '../../../server/src/providers/redis/link';
import { timingFor } from '../../../server/src/providers/redis/timing';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('tells nobody that another process has stamped what this one has, though two replies list it', async () => {
  const replies: Array<(reply: FollowReply) => void> = [];
  const follow: Commands['follow'] = () => new Promise((resolve) => replies.push(resolve));
  const serve: Link['serve'] = (operation) => operation();
  const told: Array<readonly Tag[] | undefined> = [];
  const following = new Following({
    process: 'this one',
    link: { serve } as Partial<Link> as Link,
    commands: { follow } as Partial<Commands> as Commands,
    timing: { ...timingFor(milliseconds(200)), beat: milliseconds(0) },
    events: { invalidated: (tags) => told.push(tags) },
    local: undefined,
    announced: () => [],
  });
  const [mine, foreign] = [tag('mine'), tag('foreign')];
  following.wrote([mine], sequence(1));
  const asked = [following.confirm(), turn().then(() => following.confirm())];
  await turn();
  await turn();
  const stamped = [mine, sequence(1)] as const;
  replies[0]?.({ at: sequence(1), open: 0, changes: [stamped] });
  await asked[0];
  replies[1]?.({ at: sequence(2), open: 0, changes: [stamped, [foreign, sequence(2)]] });
  await Promise.all(asked);
  expect(told).toEqual([[foreign]]);
});

import { readFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { pinned, SERVER_CORE } from './child';

const quota = (): string => {
  try {
    const [limit, period] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').trim().split(' ');
    return limit === 'max' ? '' : `, limited to ${(Number(limit) / Number(period)).toFixed(1)} CPUs`;
  } catch {
    return '';
  }
};

/** Describes the machine in one paragraph. */
export const describeMachine = (): string =>
  [
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores${quota()}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `${platform()} ${release()}`,
    `Node.js ${process.version}`,
    pinned ? `servers and load on core ${SERVER_CORE}` : 'no taskset: nothing bound to a core',
    `load average ${loadavg()[0]?.toFixed(1)} at the end`,
  ].join('; ');

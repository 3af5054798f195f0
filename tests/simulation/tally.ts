import type { Resolution } from '../../server/src/cache/response-cache';

const EVENTS = [
  'hits',
  'collapsed',
  'stored',
  'dead on arrival',
  'uncached',
  'evicted',
  'store failures',
  'acknowledged writers',
  'rollbacks',
  'purges',
  'crashes',
] as const;

export type Event = (typeof EVENTS)[number];

/** Counts the events in all schedules of a run. A simulation in which nothing happens would prove nothing. */
export class Tally {
  schedules = 0;
  readonly #counts = new Map<Event, number>();

  count(event: Event): void {
    this.#counts.set(event, this.of(event) + 1);
  }

  resolution(resolution: Resolution): void {
    if (resolution.kind === 'hit') this.count(resolution.collapsed ? 'collapsed' : 'hits');
    else if (resolution.kind === 'miss') this.count(resolution.refused === undefined ? 'stored' : 'dead on arrival');
    else this.count('uncached');
  }

  of(event: Event): number {
    return this.#counts.get(event) ?? 0;
  }

  toString(): string {
    return EVENTS.map((event) => `${event} ${this.of(event)}`).join(', ');
  }
}

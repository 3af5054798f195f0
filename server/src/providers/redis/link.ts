import { DeadlineExceeded } from '../../cache/deadline';
import type { Milliseconds } from '../../cache/milliseconds';
import type { Health } from '../../cache/provider';
import type { Opened } from './client';
import type { Timing } from './timing';
import { isElsewhere, isLoss, reasonOf, StoreUnavailable } from './unavailable';

export interface LinkSettings {
  readonly opened: Opened;
  readonly getTimeout: Milliseconds;
  readonly timing: Timing;
  /**
   * Introduces this process to Redis on a new connection and delivers what it owes. Resolves to whether others may
   * still be on their way back, so that nothing must be served yet.
   */
  readonly rejoin: () => Promise<boolean>;
  readonly onState: (health: Health) => void;
}

type Fail = (error: Error) => void;

/** Until something else is heard. */
const NO_ANSWER = 'nothing answers at provider.options.connection';

/**
 * The breaker. `down`: every operation fails at once, and attempts to come back run in the background. `settling`: Redis
 * can be told of writes again but nothing is served or stored, until every other process has had the time to do the
 * same; without this pause, an entry could be served whose invalidation another process has not been able to deliver
 * yet. `up`: all is well.
 */
export class Link {
  readonly #settings: LinkSettings;
  readonly #inFlight = new Set<Fail>();
  readonly #waitingForContact = new Set<() => void>();
  readonly #listeners: Array<readonly [event: string, listener: (...parameters: unknown[]) => void]> = [];
  #stage: 'down' | 'settling' | 'up' | 'closed' = 'down';
  #reason = NO_ANSWER;
  #since = Date.now();
  #reported: Health | undefined;
  /** Until then, whoever has to tell of a write waits for contact to return; monotonic. */
  #worthWaitingUntil: number;
  #hadFault = false;
  #isRetired = false;
  /** What the present connection holds is not ours: nothing is read or written there. */
  #isElsewhere = false;
  #recovering = false;
  #settled: NodeJS.Timeout | undefined;
  #interruptPause: (() => void) | undefined;

  constructor(settings: LinkSettings) {
    this.#settings = settings;
    this.#worthWaitingUntil = performance.now() + settings.getTimeout;
    this.#listen('close', () => {
      this.#isElsewhere = false;
      this.#interrupted();
    });
    this.#listen('error', (error) => this.#heard(error));
    this.#listen('node error', (error) => this.#heard(error));
    this.#listen('ready', () => this.#interruptPause?.());
  }

  start(): void {
    void this.#recover();
  }

  get isUp(): boolean {
    return this.#stage === 'up' && !this.#isRetired;
  }

  /** Redis can be told of writes. */
  get isInContact(): boolean {
    return this.#stage === 'up' || this.#stage === 'settling';
  }

  health(): Health {
    const state = this.isUp ? 'up' : 'down';
    return { state, since: this.#since, ...(state === 'up' ? {} : { reason: this.#reason }) };
  }

  /** Serves and stores nothing any more; Redis can still be told of writes. */
  retire(): void {
    this.#isRetired = true;
    if (this.#stage === 'up') this.#reason = 'the application is stopping';
  }

  /** An operation that serves or stores. Not before everything is known to be told. */
  async serve<T>(operation: () => Promise<T>): Promise<T> {
    if (!this.isUp) throw new StoreUnavailable(this.#reason);
    return this.#attempt(operation);
  }

  /**
   * An operation that tells of a write. When contact was lost a moment ago (not by a deadline: then `getTimeout` has
   * been paid), it waits out the rest of `getTimeout` for contact to return; later ones fail at once.
   */
  async tell<T>(operation: () => Promise<T>): Promise<T> {
    await this.contactWithin(this.#worthWaitingUntil - performance.now());
    if (!this.isInContact) throw new StoreUnavailable(this.#reason);
    return this.#attempt(operation);
  }

  close(): void {
    this.#stage = 'closed';
    this.#reason = 'the provider was closed';
    clearTimeout(this.#settled);
    this.#failAll(new StoreUnavailable(this.#reason));
    this.#interruptPause?.();
    const { client, owned } = this.#settings.opened;
    for (const [event, listener] of this.#listeners) client.off(event, listener);
    if (!owned) return;
    // A connection that is being closed may still report an error; nobody is interested any more.
    client.on('error', () => undefined);
    client.disconnect();
  }

  async #attempt<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await this.#bounded(operation, this.#settings.getTimeout);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#trip(error);
      throw error instanceof StoreUnavailable ? error : new StoreUnavailable(reasonOf(error));
    }
  }

  async #bounded<T>(operation: () => Promise<T>, limit: number): Promise<T> {
    let fail: Fail = () => undefined;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    // A busy event loop runs its timers before it reads what has long arrived: one more turn for the answer.
    const timer = setTimeout(() => setImmediate(() => fail(new DeadlineExceeded(limit as Milliseconds))), limit);
    this.#inFlight.add(fail);
    try {
      return await Promise.race([operation(), failed]);
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(fail);
    }
  }

  #trip(error: unknown): void {
    if (!this.isInContact) return;
    clearTimeout(this.#settled);
    this.#stage = 'down';
    this.#hadFault = true;
    this.#reason = reasonOf(error);
    this.#since = Date.now();
    const paid = error instanceof DeadlineExceeded;
    this.#worthWaitingUntil = paid ? -Infinity : performance.now() + this.#settings.getTimeout;
    this.#report();
    this.#failAll(new StoreUnavailable(this.#reason));
    void this.#recover(isLoss(error));
  }

  #failAll(error: Error): void {
    for (const fail of [...this.#inFlight]) fail(error);
  }

  #interrupted(): void {
    if (this.isInContact) this.#trip(new StoreUnavailable('the connection to Redis was lost'));
    else this.#failAll(new StoreUnavailable(this.#reason));
  }

  #heard(error: unknown): void {
    if (this.#stage !== 'down') return;
    this.#hadFault = true;
    this.#isElsewhere ||= isElsewhere(error);
    this.#reason = reasonOf(error);
    this.#report();
  }

  /** One loop at a time, for as long as the link is down. */
  async #recover(atOnce = true): Promise<void> {
    if (this.#recovering) return;
    this.#recovering = true;
    const { probe, probeLimit } = this.#settings.timing;
    const { client, owned } = this.#settings.opened;
    const isUsable = (): boolean => client.status === 'ready' && !this.#isElsewhere;
    // Counted in pauses: while a process boots, it hears of nothing that has long arrived.
    let unusableFor = 0;
    if (!atOnce) await this.#pause(Math.min(50, probe));
    while (this.#stage === 'down') {
      if (client.status === 'wait' || (owned && client.status === 'end')) client.connect().catch(() => undefined);
      if (!isUsable()) {
        await this.#pause(probe);
        unusableFor += probe;
      }
      if (this.#stage !== 'down') break;
      if (isUsable()) {
        try {
          this.#recovered(await this.#bounded(this.#settings.rejoin, probeLimit));
          break;
        } catch (error) {
          this.#hadFault = true;
          this.#reason = reasonOf(error);
          if (error instanceof DeadlineExceeded) unusableFor = Infinity;
        }
        await this.#pause(probe);
        unusableFor += probe;
      }
      if (unusableFor > 2 * probeLimit) {
        // Connected to something that does not answer, or connecting into the void: a new connection may do better.
        this.#hadFault = true;
        this.#report();
        if (owned) client.disconnect(true);
        unusableFor = 0;
      }
      if (this.#hadFault) this.#report();
    }
    this.#recovering = false;
  }

  #recovered(othersMayBeAway: boolean): void {
    this.#stage = 'settling';
    for (const resume of this.#waitingForContact) resume();
    const { settle } = this.#settings.timing;
    if (!(this.#hadFault || othersMayBeAway) || settle === 0) {
      this.#up();
      return;
    }
    this.#reason = 'Redis is back; waiting for other processes to deliver what they could not';
    this.#settled = setTimeout(() => this.#up(), settle);
    this.#settled.unref();
  }

  #up(): void {
    this.#stage = 'up';
    this.#hadFault = false;
    this.#since = Date.now();
    this.#report();
  }

  #report(): void {
    const health = this.health();
    const { state, reason } = this.#reported ?? {};
    // Said once, and once more where nothing was known yet.
    const isSaid = health.state === state && (reason !== NO_ANSWER || health.reason === reason);
    if (isSaid || this.#isRetired) return;
    this.#reported = health;
    this.#settings.onState(health);
  }

  /** Resolves when Redis can be told of writes, at the latest after `limit`. */
  async contactWithin(limit: number): Promise<void> {
    if (this.#stage !== 'down' || limit <= 0) return;
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        clearTimeout(timer);
        this.#waitingForContact.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, limit);
      this.#waitingForContact.add(resume);
    });
  }

  /** It may be interrupted; what is left of its time then holds up nobody. */
  #pause(duration: number): Promise<void> {
    return new Promise<void>((resolve) => {
      setTimeout(resolve, duration).unref();
      this.#interruptPause = resolve;
    });
  }

  #listen(event: string, listener: (...parameters: unknown[]) => void): void {
    this.#settings.opened.client.on(event, listener);
    this.#listeners.push([event, listener]);
  }
}

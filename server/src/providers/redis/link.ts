import { DeadlineExceeded } from '../../cache/deadline';
import type { Milliseconds } from '../../cache/milliseconds';
import type { Health } from '../../cache/provider';
import { said, type Sentence } from '../../cache/sentence';
import type { Opened } from './client';
import type { Timing } from './timing';
import { CONNECTION_LOST, isElsewhere, isLoss, reasonOf, StoreUnavailable } from './unavailable';

export interface LinkSettings {
  readonly opened: Opened;
  readonly getTimeout: Milliseconds;
  readonly timing: Timing;
  /**
   * Makes this process join on a new connection. Resolves to whether other processes may still be reconnecting, so that
   * nothing may be served yet.
   */
  readonly rejoin: () => Promise<boolean>;
  /** Delivers what this process owes; called in contact, where no write adds to that. Nothing is served before its end. */
  readonly deliver: () => Promise<void>;
  readonly onState: (health: Health) => void;
}

type Fail = (error: Error) => void;

/** The reason until an error gives a more precise one. */
const NO_ANSWER = said('redis-silent')`nothing answers at the address in provider.options`;

const notReadyWithin = (limit: number): Sentence =>
  said('redis-slow')`Redis accepts connections, but takes longer than ${limit} ms until one is ready
    (twice provider.getTimeout, at least 1000)`;

const STOPPING = said('store-stopping')`the application is stopping`;

/**
 * The circuit breaker in front of Redis. `down`: operations fail at once (`tell` may wait for a moment first), and
 * attempts to reconnect run in the background. `settling`: writes can be reported to Redis again, but nothing is served
 * or stored until every other process has had the time to reconnect, too. Without this pause, an entry could be served
 * whose invalidation another process has not been able to deliver yet. `up`: everything works.
 */
export class Link {
  readonly #settings: LinkSettings;
  readonly #inFlight = new Set<Fail>();
  readonly #waitingForContact = new Set<() => void>();
  /** By the events of ioredis. */
  readonly #listeners: Readonly<Record<string, (error?: unknown) => void>> = {
    close: () => this.#interrupted(),
    error: (error) => this.#heard(error),
    'node error': (error) => this.#heard(error),
    ready: () => this.#interruptPause?.(),
  };
  #stage: 'down' | 'settling' | 'up' | 'closed' = 'down';
  #reason: Sentence = NO_ANSWER;
  #since = Date.now();
  #reported: Health | undefined;
  /** Until this time (of `performance.now()`), operations that report a write wait for contact to return. */
  #worthWaitingUntil = -Infinity;
  #hadFault = false;
  #isRetired = false;
  /** The present connection is in another database than the configured one: nothing is read or written there. */
  #isElsewhere = false;
  #recovering = false;
  #settled: NodeJS.Timeout | undefined;
  #interruptPause: (() => void) | undefined;

  constructor(settings: LinkSettings) {
    this.#settings = settings;
    this.#expectContact();
    for (const [event, listener] of Object.entries(this.#listeners)) settings.opened.client.on(event, listener);
  }

  start(): void {
    void this.#recover();
  }

  get isUp(): boolean {
    return this.#stage === 'up' && !this.#isRetired;
  }

  /** Whether writes can be reported to Redis. */
  get isInContact(): boolean {
    return this.#stage === 'up' || this.#stage === 'settling';
  }

  health(): Health {
    const since = this.#since;
    return this.isUp
      ? { state: 'up', since }
      : { state: 'down', since, reason: this.#reason.text, sentence: this.#reason };
  }

  /** Nothing is served or stored from here on; writes can still be reported to Redis. */
  retire(): void {
    this.#isRetired = true;
    if (this.#stage === 'up') this.#reason = STOPPING;
  }

  /**
   * Runs an operation that serves or stores. Rejects with `StoreUnavailable` unless the link is up: before that,
   * invalidations may be undelivered.
   */
  async serve<T>(operation: () => Promise<T>, isFault?: (error: unknown) => boolean): Promise<T> {
    if (!this.isUp) throw new StoreUnavailable(this.#reason);
    return this.#attempt(operation, isFault);
  }

  /**
   * Runs an operation that only informs: the panel's questions, counters, lists. If it fails or is late, nothing else
   * does, unless it has found that bookkeeping is lost.
   */
  look<T>(operation: () => Promise<T>): Promise<T> {
    return this.serve(operation, isLoss);
  }

  /**
   * Runs an operation that reports a write. If contact was lost a moment ago, the operation first waits for contact to
   * return, until every process that cannot reach Redis must have noticed. It fails at once if more time has passed. An
   * operation during which contact is lost is repeated. Other processes, which are still in contact, must not serve what
   * the write has changed.
   */
  async tell<T>(operation: () => Promise<T>): Promise<T> {
    for (let isRepeated = false; ; isRepeated = true) {
      await this.contactWithin(this.#worthWaitingUntil - performance.now());
      if (!this.isInContact) throw new StoreUnavailable(this.#reason);
      try {
        return await this.#attempt(operation);
      } catch (error) {
        if (isRepeated || this.isInContact) throw error;
      }
    }
  }

  close(): void {
    this.#stage = 'closed';
    this.#reason = STOPPING;
    clearTimeout(this.#settled);
    this.#failAll(new StoreUnavailable(this.#reason));
    this.#interruptPause?.();
    const { client, owned } = this.#settings.opened;
    for (const [event, listener] of Object.entries(this.#listeners)) client.off(event, listener);
    if (!owned) return;
    // A connection that is being closed may still report an error, which is ignored.
    client.on('error', () => undefined);
    client.disconnect();
  }

  async #attempt<T>(operation: () => Promise<T>, isFault = (_error: unknown): boolean => true): Promise<T> {
    try {
      return await this.#bounded(operation, this.#settings.getTimeout);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) && isFault(error)) this.#trip(error);
      throw error instanceof StoreUnavailable ? error : new StoreUnavailable(reasonOf(error));
    }
  }

  async #bounded<T>(operation: () => Promise<T>, limit: number): Promise<T> {
    let fail: Fail = () => undefined;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    // A busy event loop runs its timers before it reads replies that have arrived: wait one more turn for the reply.
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
    this.#expectContact(error instanceof DeadlineExceeded);
    this.#report();
    this.#failAll(new StoreUnavailable(this.#reason));
    void this.#recover(isLoss(error));
  }

  /**
   * Makes writes wait until every process has missed the answer to a sign of life if Redis is silent, and a probe has
   * had its time.
   *
   * @param hasMissed whether this process has missed an answer already.
   */
  #expectContact(hasMissed = false): void {
    const { getTimeout, timing } = this.#settings;
    this.#worthWaitingUntil = performance.now() + timing.beat + timing.probe + (hasMissed ? 0 : getTimeout);
  }

  #failAll(error: Error): void {
    for (const fail of [...this.#inFlight]) fail(error);
  }

  #interrupted(): void {
    this.#isElsewhere = false;
    if (this.isInContact) this.#trip(new StoreUnavailable(CONNECTION_LOST));
    else this.#failAll(new StoreUnavailable(this.#reason));
  }

  #heard(error: unknown): void {
    if (this.#stage !== 'down') return;
    this.#hadFault = true;
    this.#isElsewhere ||= isElsewhere(error);
    this.#reason = reasonOf(error);
    this.#report();
  }

  /** Tries to reconnect for as long as the link is down. One such loop runs at a time. */
  async #recover(atOnce = true): Promise<void> {
    if (this.#recovering) return;
    this.#recovering = true;
    const { probe, probeLimit, givenUp } = this.#settings.timing;
    const { client, owned } = this.#settings.opened;
    const isUsable = (): boolean => client.status === 'ready' && !this.#isElsewhere;
    // Counted in pauses, not by the clock: a booting process does not read what has already arrived.
    let unusableFor = 0;
    let foreignUntil = performance.now() + givenUp;
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
          const othersMayBeAway = await this.#bounded(this.#settings.rejoin, probeLimit);
          this.#regainContact();
          await this.#bounded(this.#settings.deliver, probeLimit);
          if (this.isInContact) this.#settle(othersMayBeAway);
          continue;
        } catch (error) {
          this.#trip(error);
          this.#hadFault = true;
          this.#reason = reasonOf(error);
          if (error instanceof DeadlineExceeded) unusableFor = Infinity;
        }
        await this.#pause(probe);
        unusableFor += probe;
      }
      if (unusableFor > 2 * probeLimit) {
        // The connection gets no answer, or is not established: a new one may do better.
        if (this.#reason === NO_ANSWER && client.status === 'connect') this.#reason = notReadyWithin(2 * probeLimit);
        this.#hadFault = true;
        this.#report();
        const isDead = client.status === 'ready' && performance.now() > foreignUntil;
        if (owned || isDead) client.disconnect(true);
        if (isDead) foreignUntil = performance.now() + givenUp;
        unusableFor = 0;
      }
      if (this.#hadFault) this.#report();
    }
    this.#recovering = false;
  }

  #regainContact(): void {
    this.#stage = 'settling';
    for (const resume of this.#waitingForContact) resume();
  }

  #settle(othersMayBeAway: boolean): void {
    const { settle } = this.#settings.timing;
    if (!(this.#hadFault || othersMayBeAway) || settle === 0) {
      this.#up();
      return;
    }
    this.#reason = said('redis-back')`Redis is back; waiting until other processes have delivered their invalidations`;
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
    // Each state is reported once, and once more when the first precise reason is known.
    const isSaid = health.state === state && (reason !== NO_ANSWER.text || health.reason === reason);
    if (isSaid || this.#isRetired) return;
    this.#reported = health;
    this.#settings.onState(health);
  }

  /** Resolves when writes can be reported to Redis, at the latest after `limit` milliseconds. */
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

  /** Waits, unless it is interrupted. The timer does not keep the process alive. */
  #pause(duration: number): Promise<void> {
    return new Promise<void>((resolve) => {
      setTimeout(resolve, duration).unref();
      this.#interruptPause = resolve;
    });
  }
}

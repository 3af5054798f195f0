import type { Announcement, Guard, ProviderEvents } from '../../cache/provider';
import { sequence, type Sequence } from '../../cache/sequence';
import type { Tag } from '../../cache/tag';
import type { Commands, FollowReply } from './commands';
import { Follower } from './follower';
import type { HeldEntries } from '../held-entries';
import type { Link } from './link';
import type { Timing } from './timing';

export interface FollowingSettings {
  /** A name no other process has. */
  readonly process: string;
  readonly link: Link;
  readonly commands: Commands;
  readonly timing: Timing;
  readonly events: ProviderEvents;
  /** The first level. */
  readonly local: HeldEntries | undefined;
  /** The open announcements of this process. */
  readonly announced: () => Iterable<Announcement>;
}

/** Keeps this process, and its first level if it has one, up to date with the writes of all processes. */
export class Following {
  readonly #settings: FollowingSettings;
  readonly #follower: Follower;
  /** Numbers of this process's own invalidations that no reply has listed yet. */
  readonly #own = new Set<Sequence>();
  readonly #beat: NodeJS.Timeout | undefined;
  /** Whether any process has an open announcement, so that guards cannot be decided in this process. */
  #someAnnounced = false;
  #beating = false;

  constructor(settings: FollowingSettings) {
    this.#settings = settings;
    const { link, commands, timing } = settings;
    const follow = (): Promise<FollowReply> => link.serve(() => commands.follow(this.#follower.known));
    this.#follower = new Follower(() => this.#takeIn(follow));
    if (timing.beat === 0) return;
    this.#beat = setInterval(() => void this.#giveSignOfLife(), timing.beat);
    this.#beat.unref();
  }

  /** Resolves when all invalidations made before this call are known. */
  confirm(): Promise<void> {
    return this.#follower.confirm();
  }

  /** Whether a guard certainly holds by what is known; `false` also if that cannot be told. */
  holds(guard: Guard): boolean {
    return !this.#someAnnounced && this.#settings.local?.holds(guard) === true;
  }

  /** This process's own write has reached Redis as number `at`. */
  wrote(tags: readonly Tag[], at: Sequence): void {
    this.#own.add(at);
    this.#settings.local?.stamp(tags, at);
  }

  noteAnnounced(): void {
    this.#someAnnounced = true;
  }

  /** Starts again at number `at`: nothing known before holds any more. */
  startOver(at: Sequence): void {
    this.#follower.known = at;
    this.#settings.local?.startOver(at);
    this.#settings.events.invalidated?.(undefined);
  }

  close(): void {
    clearInterval(this.#beat);
  }

  async #giveSignOfLife(): Promise<void> {
    const { process, link, commands, announced } = this.#settings;
    const { silence, announcement } = this.#settings.timing;
    if (this.#beating || !link.isInContact) return;
    this.#beating = true;
    try {
      await this.#takeIn(() =>
        link.tell(() => commands.beat(this.#follower.known, process, silence, announcement, announced())),
      );
    } catch {
      // The link notices failures of Redis itself. No other failure of this background work may end the process either.
    } finally {
      this.#beating = false;
    }
  }

  async #takeIn(ask: () => Promise<FollowReply>): Promise<void> {
    const { at, open, changes } = await ask();
    const { known } = this.#follower;
    // A cluster may redirect a question, so that its reply comes after that to a later one.
    if (at < known) return;
    this.#someAnnounced = open > 0;
    if (at === known) return;
    // Of two questions under way, the first reply may have listed what the second lists as well.
    if (changes !== undefined) this.#takeNotice(changes.filter(([, stampedAt]) => stampedAt > known));
    else if (!this.#areOwn(known, at)) this.startOver(at);
    this.#follower.known = at;
    for (const own of this.#own) if (own <= at) this.#own.delete(own);
  }

  /** Whether this process itself has made all stamps after `known` up to `at`: the first level has them already. */
  #areOwn(known: Sequence, at: Sequence): boolean {
    for (let number = known + 1; number <= at; number += 1) if (!this.#own.has(sequence(number))) return false;
    return true;
  }

  #takeNotice(changes: ReadonlyArray<readonly [tag: Tag, number: Sequence]>): void {
    const foreign: Tag[] = [];
    for (const [name, stampedAt] of changes) {
      this.#settings.local?.stamp([name], stampedAt);
      if (!this.#own.has(stampedAt)) foreign.push(name);
    }
    if (foreign.length > 0) this.#settings.events.invalidated?.(foreign);
  }
}

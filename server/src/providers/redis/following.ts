import type { Announcement, Guard, ProviderEvents } from '../../cache/provider';
import type { Sequence } from '../../cache/sequence';
import type { Tag } from '../../cache/tag';
import type { Commands, FollowReply } from './commands';
import { Follower } from './follower';
import type { Link } from './link';
import type { LocalLevel } from './local-level';
import type { Timing } from './timing';

export interface FollowingSettings {
  /** A name no other process has. */
  readonly process: string;
  readonly link: Link;
  readonly commands: Commands;
  readonly timing: Timing;
  readonly events: ProviderEvents;
  readonly local: LocalLevel | undefined;
  /** What this process has announced and not closed yet. */
  readonly announced: () => Iterable<Announcement>;
}

/** Keeps this process, and its first level if it has one, up with what all processes write. */
export class Following {
  readonly #settings: FollowingSettings;
  readonly #follower: Follower;
  /** Numbers of this process's own invalidations that have not come back yet. */
  readonly #own = new Set<Sequence>();
  readonly #beat: NodeJS.Timeout | undefined;
  /** Announcements are open somewhere, so that a guard cannot be decided here. */
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

  /** Resolves when everything is known that was invalidated before this call. */
  confirm(): Promise<void> {
    return this.#follower.confirm();
  }

  /** Whether a guard surely holds, as far as is known. */
  holds(guard: Guard): boolean {
    return !this.#someAnnounced && this.#settings.local?.isUnchanged(guard) === true;
  }

  /** This process's own write has reached Redis as number `at`. */
  wrote(tags: readonly Tag[], at: Sequence): void {
    this.#own.add(at);
    this.#settings.local?.stamp(tags, at);
  }

  noteAnnounced(): void {
    this.#someAnnounced = true;
  }

  /** Nothing known before holds any more. */
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
      // Where Redis is the reason, the link knows; whatever else it was, work in the background must not end the process.
    } finally {
      this.#beating = false;
    }
  }

  async #takeIn(ask: () => Promise<FollowReply>): Promise<void> {
    const { at, open, changes } = await ask();
    const { known } = this.#follower;
    // A cluster may redirect a question, so that its answer comes after a later one's.
    if (at < known) return;
    this.#someAnnounced = open > 0;
    if (at === known) return;
    if (changes === undefined) this.startOver(at);
    else this.#takeNotice(changes);
    this.#follower.known = at;
    for (const own of this.#own) if (own <= at) this.#own.delete(own);
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

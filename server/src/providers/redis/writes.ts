import type { Tag } from '../../cache/tag';
import type { Announcement } from '../../cache/provider';
import type { Sequence } from '../../cache/sequence';
import { Owed } from '../owed';
import type { Commands } from './commands';
import type { Following } from './following';
import type { Link } from './link';
import type { Timing } from './timing';
import { StoreUnavailable } from './unavailable';

export interface WritesSettings {
  /** A name no other process has. */
  readonly process: string;
  readonly link: Link;
  readonly commands: Commands;
  readonly following: Following;
  readonly timing: Timing;
}

/**
 * Reports this process's writes to Redis: announces them before their commit and stamps them after it. While Redis is
 * away, stamps are owed.
 */
export class Writes {
  readonly #owed = new Owed();
  /** Open announcements and their tags. */
  readonly #open = new Map<Announcement, readonly Tag[]>();
  readonly #settings: WritesSettings;
  #count = 0;

  constructor(settings: WritesSettings) {
    this.#settings = settings;
  }

  /** Open announcements, which each sign of life renews. */
  get announced(): Iterable<Announcement> {
    return this.#open.keys();
  }

  /**
   * A write does not fail because Redis is away: it goes on without an announcement, and its tags are stamped when
   * Redis is back.
   */
  async announce(tags: readonly Tag[]): Promise<Announcement | undefined> {
    this.#count += 1;
    const id = `${this.#settings.process}.${this.#count.toString(36)}` as Announcement;
    this.#open.set(id, tags);
    const { commands, following, timing } = this.#settings;
    const at = await this.tell(tags, async () => {
      const number = await commands.announce(id, timing.announcement, tags);
      following.noteAnnounced();
      return number;
    });
    if (at !== undefined) return id;
    this.#open.delete(id);
    return undefined;
  }

  /** Stamps the tags and closes the announcement, which is not renewed from here on. */
  invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence | undefined> {
    const announced = announcement && this.#open.get(announcement);
    if (announcement !== undefined) this.#open.delete(announcement);
    return this.tell(tags, () => this.#settings.commands.invalidate(tags, announcement, announced));
  }

  /**
   * Sends a command that stamps `tags`. Never rejects because of Redis: a stamp that could not be delivered is owed,
   * and this process serves and stores nothing until it is delivered. Resolves to `undefined` then.
   */
  async tell(tags: readonly Tag[], send: () => Promise<Sequence>): Promise<Sequence | undefined> {
    try {
      const at = await this.#settings.link.tell(send);
      this.#settings.following.wrote(tags, at);
      return at;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // The link is down by now, and comes up only after everything owed has been delivered.
      this.#owed.add(tags);
      return undefined;
    }
  }

  get areOwed(): boolean {
    return this.#owed.size > 0;
  }

  /** Whether this process can end without leaving anything undelivered. */
  get areAllTold(): boolean {
    return !this.areOwed && this.#open.size === 0;
  }

  /** When contact returns: delivers what is owed, and repeats open announcements in case they were lost. */
  async deliver(): Promise<void> {
    const { commands, following, timing } = this.#settings;
    while (this.areOwed)
      await this.#owed.deliver(async (tags) => following.wrote(tags, await commands.invalidate(tags)));
    for (const [id, tags] of [...this.#open])
      following.wrote(tags, await commands.announce(id, timing.announcement, tags));
  }
}

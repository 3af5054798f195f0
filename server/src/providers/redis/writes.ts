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

/** How this process's writes are told: announced before their commit, stamped after it, and owed while Redis is away. */
export class Writes {
  readonly #owed = new Owed();
  /** What has been announced and not closed yet. */
  readonly #open = new Map<Announcement, readonly Tag[]>();
  readonly #settings: WritesSettings;
  #count = 0;

  constructor(settings: WritesSettings) {
    this.#settings = settings;
  }

  /** Announcements that each sign of life renews. */
  get announced(): Iterable<Announcement> {
    return this.#open.keys();
  }

  /** A write does not fail because a cache is away: it goes on unannounced, and its tags are stamped when Redis is back. */
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

  /** The announcement counts as closed from here on, and is not renewed any more. */
  invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence | undefined> {
    const announced = announcement && this.#open.get(announcement);
    if (announcement !== undefined) this.#open.delete(announcement);
    return this.tell(tags, () => this.#settings.commands.invalidate(tags, announcement, announced));
  }

  /**
   * Sends what stamps `tags`. Never rejects because of Redis: what could not be told is owed, and this process serves and
   * stores nothing until it is. Resolves to `undefined` then.
   */
  async tell(tags: readonly Tag[], send: () => Promise<Sequence>): Promise<Sequence | undefined> {
    try {
      const at = await this.#settings.link.tell(send);
      this.#settings.following.wrote(tags, at);
      return at;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // The link is down by now and comes up only after what is owed has been delivered.
      this.#owed.add(tags);
      return undefined;
    }
  }

  get areOwed(): boolean {
    return this.#owed.size > 0;
  }

  /** Whether nobody has to fear that this process takes something untold with it. */
  get areAllTold(): boolean {
    return !this.areOwed && this.#open.size === 0;
  }

  /** Back in contact: what is owed, and what is still open, in case that was lost. */
  async deliver(): Promise<void> {
    const { commands, following, timing } = this.#settings;
    while (this.areOwed)
      await this.#owed.deliver(async (tags) => following.wrote(tags, await commands.invalidate(tags)));
    for (const [id, tags] of [...this.#open])
      following.wrote(tags, await commands.announce(id, timing.announcement, tags));
  }
}

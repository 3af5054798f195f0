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

/** An announcement: its tags, and whether Redis may have heard of it. */
interface Announced {
  readonly tags: readonly Tag[];
  isSent: boolean;
}

/**
 * Reports this process's writes to Redis: announces them before their commit and stamps them after it. While Redis is
 * away, stamps are owed.
 */
export class Writes {
  readonly #owed = new Owed();
  /** The announcements of writes under way. */
  readonly #open = new Map<Announcement, Announced>();
  /** Announcements of writes that are over, which Redis may still hold: it could not be told, or its reply was lost. */
  readonly #unsettled = new Map<Announcement, readonly Tag[]>();
  readonly #settings: WritesSettings;
  /** How many stamps and announcements wait for Redis. */
  #underWay = 0;
  #count = 0;

  constructor(settings: WritesSettings) {
    this.#settings = settings;
  }

  /** Open announcements, which each sign of life renews. */
  get announced(): Iterable<Announcement> {
    return this.#open.keys();
  }

  /**
   * A write does not fail because Redis is away: it goes on, its tags are stamped when Redis is back, and if it is still
   * under way then it is announced then.
   */
  async announce(tags: readonly Tag[]): Promise<Announcement> {
    this.#count += 1;
    const id = `${this.#settings.process}.${this.#count.toString(36)}` as Announcement;
    const announced = { tags, isSent: false };
    this.#open.set(id, announced);
    await this.tell(tags, () => this.#sendAnnouncement(id, announced));
    return id;
  }

  /** Stamps the tags and closes the announcement, which is not renewed from here on. */
  async invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence | undefined> {
    const announced = announcement && this.#open.get(announcement);
    if (announcement !== undefined) this.#open.delete(announcement);
    const at = await this.tell(tags, () => this.#settings.commands.invalidate(tags, announcement, announced?.tags));
    if (at === undefined && announcement !== undefined && announced?.isSent === true)
      this.#unsettled.set(announcement, announced.tags);
    return at;
  }

  async #sendAnnouncement(id: Announcement, announced: Announced): Promise<Sequence> {
    const { commands, following, timing } = this.#settings;
    announced.isSent = true;
    const at = await commands.announce(id, timing.announcement, announced.tags);
    following.noteAnnounced();
    return at;
  }

  /**
   * Sends a command that stamps `tags`. Never rejects because of Redis: a stamp that could not be delivered is owed,
   * and this process serves and stores nothing until it is delivered. Resolves to `undefined` then.
   */
  async tell(tags: readonly Tag[], send: () => Promise<Sequence>): Promise<Sequence | undefined> {
    this.#underWay += 1;
    try {
      return await this.#settings.link.tell(async () => {
        const at = await send();
        // At once: a reply that lists these tags may have come together with this one.
        this.#settings.following.wrote(tags, at);
        return at;
      });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // The link is down by now, and comes up only after everything owed has been delivered.
      this.#owed.add(tags);
      return undefined;
    } finally {
      this.#underWay -= 1;
    }
  }

  get areOwed(): boolean {
    return this.#owed.size > 0;
  }

  /** Whether this process can end without leaving anything undelivered. */
  get areAllTold(): boolean {
    return !this.areOwed && this.#open.size === 0 && this.#underWay === 0;
  }

  /**
   * When contact returns: repeats the announcements of writes under way in case they were lost, closes those of writes
   * that are over, and delivers what is owed.
   */
  async deliver(): Promise<void> {
    const { commands, following } = this.#settings;
    await Promise.all(
      [...this.#open].map(async ([id, announced]) =>
        following.wrote(announced.tags, await this.#sendAnnouncement(id, announced)),
      ),
    );
    while (this.areOwed || this.#unsettled.size > 0) {
      await this.#owed.deliver(async (tags) => following.wrote(tags, await commands.invalidate(tags)));
      await Promise.all(
        [...this.#unsettled].map(async ([id, tags]) => {
          await commands.invalidate([], id, tags);
          this.#unsettled.delete(id);
        }),
      );
    }
  }
}

import type { Tag } from '../../cache/tag';
import type { Announcement } from '../../cache/provider';

/** What this process has announced and not closed yet, by announcement. */
export class Announcements {
  readonly #open = new Map<Announcement, readonly Tag[]>();
  readonly #process: string;
  #count = 0;

  /** @param process a name no other process has */
  constructor(process: string) {
    this.#process = process;
  }

  open(tags: readonly Tag[]): Announcement {
    this.#count += 1;
    const id = `${this.#process}.${this.#count.toString(36)}` as Announcement;
    this.#open.set(id, tags);
    return id;
  }

  /** What was announced; the announcement counts as closed from here on and is not renewed any more. */
  close(id: Announcement): readonly Tag[] {
    const tags = this.#open.get(id) ?? [];
    this.#open.delete(id);
    return tags;
  }

  get ids(): readonly Announcement[] {
    return [...this.#open.keys()];
  }

  get all(): ReadonlyArray<readonly [Announcement, readonly Tag[]]> {
    return [...this.#open];
  }
}

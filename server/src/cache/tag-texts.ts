import type { Tag } from './tag';

/** Number of texts held, which take a few megabytes. */
const MAX_TEXTS = 50_000;

/**
 * Keeps one string for each tag, however many entries carry it. Lists of the same articles carry the same tags, and
 * each computation creates their strings anew.
 */
export class TagTexts {
  readonly #texts = new Map<Tag, Tag>();

  share(tags: readonly Tag[]): readonly Tag[] {
    return tags.map((tag) => {
      const known = this.#texts.get(tag);
      if (known !== undefined) return known;
      // Emptied when full: tags that are still in use are added again at once.
      if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
      this.#texts.set(tag, tag);
      return tag;
    });
  }
}

import type { Tag } from './tag';

/** Texts held; a few megabytes. */
const MAX_TEXTS = 50_000;

/**
 * One text for each tag, however many entries carry it: lists of the same articles are made of the same tags, and each
 * computation spells them anew.
 */
export class TagTexts {
  readonly #texts = new Map<Tag, Tag>();

  share(tags: readonly Tag[]): readonly Tag[] {
    return tags.map((tag) => {
      const known = this.#texts.get(tag);
      if (known !== undefined) return known;
      // Begun afresh when full: what is still asked for comes back at once.
      if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
      this.#texts.set(tag, tag);
      return tag;
    });
  }
}

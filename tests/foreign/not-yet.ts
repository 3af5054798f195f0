/**
 * What is known to be wrong and is being mended: a URL by its name or a kind of write by its own, left out until then.
 * Empty is how it should be.
 */
export const NOT_YET: ReadonlyArray<{
  readonly url?: string;
  readonly write?: string;
  /** Everywhere, if left out. */
  readonly database?: string;
  readonly why: string;
}> = [];

export const isLeftOut = (database: string, { url, write }: { url?: string; write?: string }): boolean =>
  NOT_YET.some(
    (entry) =>
      (entry.database === undefined || entry.database === database) &&
      ((url !== undefined && entry.url === url) || (write !== undefined && entry.write === write)),
  );

/** A text without the addresses in it: the URL in an error may hold a password, with any characters but spaces. */
export const withoutAddresses = (text: string): string => text.replace(/(?<=:\/\/)(?:\S*@)?[^\s"'`]*/g, '…');

/** The message of what somebody else's code has thrown, without addresses. That may be anything. */
export const messageOf = (thrown: unknown): string => {
  try {
    const isTold = thrown instanceof Error && typeof thrown.message === 'string';
    return withoutAddresses(isTold ? thrown.message : String(thrown));
  } catch {
    return 'it gave no reason';
  }
};

/** A text of a driver without what it connects to: the URL in an error may hold a password. */
export const withoutAddresses = (text: string): string => text.replace(/(?<=:\/\/)[^\s"'`]+/g, '…');

/** A text without the addresses in it: the URL in an error may hold a password, with any characters but spaces. */
export const withoutAddresses = (text: string): string => text.replace(/(?<=:\/\/)(?:\S*@)?[^\s"'`]*/g, '…');

/** A store has no room for an entry: the entry is larger than the store may be, or the store is full. */
export class NoRoom extends Error {
  constructor() {
    super('The cache store has no room for the response');
    this.name = 'NoRoom';
  }
}

/** Work of a test waits here while the gate is shut. */
export class Gate {
  #opened: Promise<void> = Promise.resolve();
  #open = (): void => undefined;
  #reached: Promise<void> = Promise.resolve();
  #reach = (): void => undefined;

  shut(): void {
    this.#opened = new Promise((resolve) => (this.#open = resolve));
    this.#reached = new Promise((resolve) => (this.#reach = resolve));
  }

  open(): void {
    this.#open();
  }

  async pass(): Promise<void> {
    this.#reach();
    await this.#opened;
  }

  /** Resolves when somebody waits, or has waited, since it was shut. */
  get reached(): Promise<void> {
    return this.#reached;
  }
}

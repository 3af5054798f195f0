/** The process has died: nothing it had begun goes on, and nobody is left to be told. */
export class Crashed extends Error {}

/** One process of the application, as far as it can die. */
export class Process {
  #crashed = false;

  constructor(readonly name: string) {}

  get crashed(): boolean {
    return this.#crashed;
  }

  crash(): void {
    this.#crashed = true;
  }

  /** Asked wherever a process meets the outside world, which is where its death shows. */
  mustBeAlive(): void {
    if (this.#crashed) throw new Crashed(`${this.name} has crashed`);
  }
}

/** The process has died. Nothing that it began continues, and there is no caller left to inform. */
export class Crashed extends Error {}

/** One process of the application, which can crash. */
export class Process {
  #crashed = false;

  constructor(readonly name: string) {}

  get crashed(): boolean {
    return this.#crashed;
  }

  crash(): void {
    this.#crashed = true;
  }

  /** Called wherever a process communicates with the outside, which is where its death shows. */
  mustBeAlive(): void {
    if (this.#crashed) throw new Crashed(`${this.name} has crashed`);
  }
}

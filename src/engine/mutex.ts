/** Runs asynchronous work one piece at a time, in the order asked. A piece that fails does not stop the next. */
export class Mutex {
  #last: Promise<unknown> | null = null;

  run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const result = before ? before.then(work, work) : work();
    // Kept only while it is the newest, so that idle work starts at once.
    const settled: Promise<unknown> = result.then(
      () => this.#release(settled),
      () => this.#release(settled),
    );
    this.#last = settled;
    return result;
  }

  #release(settled: Promise<unknown>): void {
    if (this.#last === settled) this.#last = null;
  }
}

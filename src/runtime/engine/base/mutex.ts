/** Runs asynchronous work one piece at a time, in the order asked. A piece that fails does not stop the next. */
export class Mutex {
  #last: Promise<unknown> | null = null;

  run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const result = before ? before.then(work, work) : work();
    // `#last` is kept only while it has not settled, so that the next work starts at once when nothing runs.
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

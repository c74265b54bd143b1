/** Runs asynchronous work one piece at a time, in the order of the calls. If a piece fails, the next one still runs. */
export class Mutex {
  #last: Promise<unknown> | null = null;

  run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const result = before ? before.then(work, work) : work();
    // `#last` is dropped as soon as it settles, so that the next work starts at once if nothing else runs.
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

/** The engine's work, in order. Requests to a model with several conversations run at the same time. */

export class WorkQueue {
  readonly #reportBug: (error: unknown) => void;
  /** Settles when the last work has ended; if it may run beside other work, when it has begun. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #besides = new Set<Promise<void>>();

  /** `reportBug` gets the error if work throws one; the next work still runs. */
  constructor(reportBug: (error: unknown) => void) {
    this.#reportBug = reportBug;
  }

  /** Runs `work` after all work before it. Later work waits until `work` has ended. */
  addAlone(work: () => Promise<void>): void {
    this.#last = this.#last.then(() => this.#runAlone(work));
  }

  /** Like `addAlone`, but if `mayShare` returns true when `work` begins, later work does not wait until `work` has ended. */
  add(work: () => Promise<void>, mayShare: () => boolean): void {
    this.#last = this.#last.then(() => {
      if (!mayShare()) return this.#runAlone(work);
      const running = this.#run(work).finally(() => this.#besides.delete(running));
      this.#besides.add(running);
      return undefined;
    });
  }

  /** Resolves when all work added so far has ended. */
  async ended(): Promise<void> {
    await this.#last;
    await Promise.all(this.#besides);
  }

  async #runAlone(work: () => Promise<void>): Promise<void> {
    await Promise.all(this.#besides);
    await this.#run(work);
  }

  async #run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#reportBug(error);
    }
  }
}

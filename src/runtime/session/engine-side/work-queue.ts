/** The work of an engine in its order. Requests of a model that holds several conversations run side by side. */

export class WorkQueue {
  readonly #reportBug: (error: unknown) => void;
  /** Settles when the last piece of work has ended, or, if it may run beside others, has begun. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #besides = new Set<Promise<void>>();

  /** `reportBug` gets an error that a piece of work throws; the next work runs. */
  constructor(reportBug: (error: unknown) => void) {
    this.#reportBug = reportBug;
  }

  /** Runs `work` after all work before it. The work after it waits for its end. */
  addAlone(work: () => Promise<void>): void {
    this.#last = this.#last.then(() => this.#runAlone(work));
  }

  /** As `addAlone`, unless `mayShare` returns true when the turn of `work` has come: the next work then need not wait for its end. */
  add(work: () => Promise<void>, mayShare: () => boolean): void {
    this.#last = this.#last.then(() => {
      if (!mayShare()) return this.#runAlone(work);
      const running = this.#run(work).finally(() => this.#besides.delete(running));
      this.#besides.add(running);
      return undefined;
    });
  }

  /** Resolves when all work so far has ended. */
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

/** Work that must not overlap: a second caller made a mistake, and is told so. */
export class Exclusive {
  readonly #message: string;
  #isBusy = false;

  /** @param message what the second caller is told */
  constructor(message: string) {
    this.#message = message;
  }

  /** @throws Error while other work goes on, and what `work` throws. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) throw new Error(this.#message);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}

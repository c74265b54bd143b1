/** Work that must not overlap: a second call is a mistake of the caller and throws an error. */
export class OverlapGuard {
  readonly #message: string;
  #isBusy = false;

  /** @param message of the error that a second call throws */
  constructor(message: string) {
    this.#message = message;
  }

  /** @throws Error while other work is running, and every error of `work`. */
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

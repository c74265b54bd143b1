/**
 * A queue of requests for an engine. Clients take turns, so that a client with a hundred requests does not block another.
 */

interface Waiting {
  readonly client: string;
  readonly run: () => Promise<unknown>;
}

export class FairQueue {
  #atOnce: number;
  readonly #onIdle: () => void;
  /** Waiting requests by client, in the order of the clients' turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #running = 0;

  /** `atOnce`: how many requests run at a time. `onIdle` is called when no request runs or waits any more. */
  constructor(atOnce: number, onIdle: () => void = () => {}) {
    this.#atOnce = atOnce;
    this.#onIdle = onIdle;
  }

  /** Number of requests that have not begun. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Sets how many requests run at a time. */
  setAtOnce(count: number): void {
    this.#atOnce = count;
    queueMicrotask(() => this.#next());
  }

  /** Adds a request; `run` is called at its turn. The returned function removes the request, and returns false if its turn has already come. */
  add(client: string, run: () => Promise<unknown>): () => boolean {
    const waiting: Waiting = { client, run };
    const own = this.#waiting.get(client);
    if (own) own.push(waiting);
    else this.#waiting.set(client, [waiting]);
    queueMicrotask(() => this.#next());
    return () => this.#remove(waiting);
  }

  #next(): void {
    while (this.#running < this.#atOnce) {
      const [first] = this.#waiting;
      if (!first) return;
      const [client, own] = first;
      const { run } = own.shift() as Waiting;
      // The client's next turn comes after the turns of all other waiting clients.
      this.#waiting.delete(client);
      if (own.length > 0) this.#waiting.set(client, own);
      this.#running += 1;
      void run()
        .catch(() => undefined)
        .then(() => {
          this.#running -= 1;
          this.#next();
          if (this.#running === 0 && this.#waiting.size === 0) this.#onIdle();
        });
    }
  }

  #remove({ client, run }: Waiting): boolean {
    const own = this.#waiting.get(client);
    const place = own?.findIndex((each) => each.run === run) ?? -1;
    if (!own || place < 0) return false;
    own.splice(place, 1);
    if (own.length === 0) this.#waiting.delete(client);
    return true;
  }
}

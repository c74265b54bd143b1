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
    const clientQueue = this.#waiting.get(client);
    if (clientQueue) clientQueue.push(waiting);
    else this.#waiting.set(client, [waiting]);
    queueMicrotask(() => this.#next());
    return () => this.#remove(waiting);
  }

  #next(): void {
    while (this.#running < this.#atOnce) {
      const [first] = this.#waiting;
      if (!first) return;
      const [client, clientQueue] = first;
      const { run } = clientQueue.shift() as Waiting;
      // The client's next turn comes after the turns of all other waiting clients.
      this.#waiting.delete(client);
      if (clientQueue.length > 0) this.#waiting.set(client, clientQueue);
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
    const clientQueue = this.#waiting.get(client);
    const place = clientQueue?.findIndex((each) => each.run === run) ?? -1;
    if (!clientQueue || place < 0) return false;
    clientQueue.splice(place, 1);
    if (clientQueue.length === 0) this.#waiting.delete(client);
    return true;
  }
}

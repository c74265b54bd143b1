/** Counts what the servers of a model are asked and how they fail. Numbers only: no texts, addresses or keys. */
import type { RemoteFault } from "./remote-error.ts";

export interface UpstreamCounts {
  /** Steps whose logits came from a server. */
  readonly steps: number;
  /** Tokens that the servers computed for the steps. For a step whose server does not tell, the tokens that were new to it. */
  readonly computed: number;
  /** Tokens that were new to the servers. More tokens computed than new ones means that servers read texts again. */
  readonly unread: number;
  /** Streams that were closed before their end. */
  readonly cuts: number;
  /** Conversations that moved to another server. */
  readonly moved: number;
  /** Failed requests, by the kind of fault. */
  readonly faults: Readonly<Partial<Record<RemoteFault | "other", number>>>;
}

export class UpstreamMeter {
  #steps = 0;
  #computed = 0;
  #unread = 0;
  #cuts = 0;
  #moved = 0;
  readonly #faults: Partial<Record<RemoteFault | "other", number>> = {};

  get counts(): UpstreamCounts {
    return {
      steps: this.#steps,
      computed: this.#computed,
      unread: this.#unread,
      cuts: this.#cuts,
      moved: this.#moved,
      faults: { ...this.#faults },
    };
  }

  /** @param computed null if the server does not tell */
  step(computed: number | null, unread: number): void {
    this.#steps += 1;
    this.#computed += computed ?? unread;
    this.#unread += unread;
  }

  cut(): void {
    this.#cuts += 1;
  }

  moved(): void {
    this.#moved += 1;
  }

  fault(error: unknown): void {
    const { fault = "other" } = error as { readonly fault?: RemoteFault };
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  }
}

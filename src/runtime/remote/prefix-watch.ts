/** Watches how many tokens a server computes for each step, and says so if it reads the text again and again. */

/** Steps over which the average is taken. */
const steps = 5;
/** Steps that read the text again. One alone may be an accident: its text then has to be long enough to matter. */
const leastRereads = 2;
/** Tokens computed for nothing by a single step that read a text again, from which on it matters. */
const leastWasted = 64;
/** The cure for a llama.cpp server. */
const moreSlots = "Start the server with more slots (-np), and send each conversation to the same server.";

export interface PrefixWatchOptions {
  /** Tokens at the end of a text that a server with a whole cache computes again at each step, at most: the block of its cache. */
  readonly blockTokens?: number;
  /** A sentence that tells the operator a cure. */
  readonly advice?: string;
}

export class PrefixWatch {
  readonly #onNotice: (notice: string) => void;
  readonly #blockTokens: number;
  readonly #advice: string;
  #recent: { readonly computed: number; readonly needed: number }[] = [];
  #hasSpoken = false;

  constructor(
    onNotice: (notice: string) => void,
    { blockTokens = 1, advice = moreSlots }: PrefixWatchOptions = {},
  ) {
    this.#onNotice = onNotice;
    this.#blockTokens = blockTokens;
    this.#advice = advice;
  }

  /**
   * Returns true if the server lost the text: over five steps, it computed more than the new tokens and the end of the text.
   * @param computed tokens that the server computed for an answer. @param unread tokens that were new to it.
   * @param server its name in a notice
   */
  note(computed: number | null, unread: number, server = "The server"): boolean {
    if (computed === null) return false;
    this.#recent = [...this.#recent, { computed, needed: Math.max(1, unread) }].slice(-steps);
    if (this.#recent.length < steps) return false;
    const all = this.#recent.reduce((sum, each) => sum + each.computed, 0);
    const needed = this.#recent.reduce((sum, each) => sum + each.needed, 0);
    const block = this.#blockTokens;
    if (all <= needed + steps * block) return false;
    const rereads = this.#recent.filter((each) => each.computed > each.needed + block);
    const wasted = all - needed - steps * (block - 1);
    if (rereads.length < leastRereads && wasted < leastWasted) return false;
    this.#recent = [];
    if (!this.#hasSpoken) this.#speak(server, all, needed);
    return true;
  }

  #speak(server: string, all: number, needed: number): void {
    this.#hasSpoken = true;
    this.#onNotice(
      `${server} computed ${all} tokens, although only ${needed} were new: it does not cache this conversation. ${this.#advice}`,
    );
  }
}

/** Watches how many tokens a server computes for each step, and says so if it reads the text again and again. */

/** Steps over which the average is taken. */
const steps = 5;
/** Tokens computed for each new one: a server that keeps the text computes one, or one more for the last token. */
const mostPerToken = 2;
/** Tokens computed beyond the new ones, below which nothing is said: a short text costs nothing. */
const leastWasted = 64;

export class PrefixWatch {
  readonly #onNotice: (notice: string) => void;
  #recent: { readonly computed: number; readonly unread: number }[] = [];
  #hasSpoken = false;

  constructor(onNotice: (notice: string) => void) {
    this.#onNotice = onNotice;
  }

  /**
   * Returns true if the server lost the text: it computed more than two tokens for each new one, over five steps.
   * @param computed tokens that the server computed for an answer. @param unread tokens that were new to it.
   */
  note(computed: number | null, unread: number): boolean {
    if (computed === null) return false;
    this.#recent = [...this.#recent, { computed, unread }].slice(-steps);
    if (this.#recent.length < steps) return false;
    const all = this.#recent.reduce((sum, each) => sum + each.computed, 0);
    const needed = this.#recent.reduce((sum, each) => sum + Math.max(1, each.unread), 0);
    if (all <= mostPerToken * needed || all - needed < leastWasted) return false;
    this.#recent = [];
    if (!this.#hasSpoken) this.#speak(all, needed);
    return true;
  }

  #speak(all: number, needed: number): void {
    this.#hasSpoken = true;
    this.#onNotice(
      `The server computed ${all} tokens for ${needed} new ones: it does not cache this conversation. Start it with more slots (-np), and send each conversation to the same server.`,
    );
  }
}

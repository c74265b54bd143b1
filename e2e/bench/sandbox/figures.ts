/** What the bench's page measures; milliseconds. */
export interface SandboxFigures {
  /** Round trips at the median, by handler. */
  readonly roundTrips: Readonly<Record<HandlerName, number>>;
  /** What of a round trip is choosing the 64 most likely of the row. */
  readonly topSelection: number;
  /** From the deadline of a busy loop to the answer that it was stopped. */
  readonly killAfterDeadline: number;
  /** Taking the frame of a busy loop out of the page. */
  readonly removeFrame: number;
  /** From a kill to the next mod loaded, a spare being awake with the tokenizer. */
  readonly readyFromSpare: number;
  /** The same for a mod for which no spare is left. */
  readonly readyCold: number;
}

export type HandlerName = "top64" | "wholeLogits" | "wholeLogitsEdited" | "added";

/** Handlers as an author writes them. */
export const handlers: Readonly<Record<HandlerName, string>> = {
  top64: `forwardPass(event) { let sum = 0; for (const { logprob } of event.topK(64)) sum += logprob; if (sum > 0) console.log(sum); }`,
  wholeLogits: `forwardPass(event) { const { logits } = event; let best = 0; for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i; if (best < 0) console.log(best); }`,
  wholeLogitsEdited: `forwardPass(event, actions) { event.logits[7] = -Infinity; return actions.adjustLogits(event.logits); }`,
  added: `added(event) { if (event.step < 0) console.log(event.tokens); }`,
};

/** Entries of a row of logits: the vocabulary of Qwen 2.5. */
export const vocabulary = 151_936;

import type { TokenOfMods } from "./token-of-mods.ts";

/** Measurements of the bench's page, in milliseconds. */
export interface SandboxMetrics {
  /** Round trips at the median, by handler. */
  readonly roundTrips: Readonly<Record<HandlerName, number>>;
  /** The part of a round trip that chooses the row's 64 most likely tokens. */
  readonly topSelection: number;
  /** From the deadline of a busy loop to the answer that it was stopped. */
  readonly killAfterDeadline: number;
  /** Taking the frame of a busy loop out of the page. */
  readonly removeFrame: number;
  /** From a kill to the next mod loaded, a spare being awake with the tokenizer. */
  readonly readyFromSpare: number;
  /** The same for a mod for which no spare is left. */
  readonly readyCold: number;
  /** Three mods, each asked at each event of the step. */
  readonly threeMods: TokenOfMods;
}

export type HandlerName = "top64" | "wholeLogits" | "wholeLogitsEdited" | "added";

/** Handlers as an author writes them. */
export const handlers: Readonly<Record<HandlerName, string>> = {
  top64: `forwardPass(event) { let sum = 0; for (const { logprob } of event.topK(64)) sum += logprob; if (sum > 0) console.log(sum); }`,
  wholeLogits: `forwardPass(event) { const { logits } = event; let best = 0; for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i; if (best < 0) console.log(best); }`,
  wholeLogitsEdited: `forwardPass(event, actions) { event.logits[7] = -Infinity; return actions.adjustLogits(event.logits); }`,
  added: `added(event) { if (event.step < 0) console.log(event.tokens); }`,
};

/** Three mods, each with a handler for each event of a step: one follows a strategy, one reads what is likely and bans, one keeps the text. */
export const threeMods: readonly string[] = [
  `import { constraintOf, until } from "midtoken/strategies";
const strategy = until({ end: "THE END" });
let state = null;
export default mod({
  topK: 0,
  forwardPass(event, actions, tokenizer) { state ??= constraintOf(strategy, tokenizer).start; return actions.adjustLogits({ mask: state.mask() }); },
  sampled(event) { if (event.token < 0) console.log(event.text); },
  added(event) { for (const token of event.tokens) if (state.allows(token)) state = state.advance(token); },
});`,
  `export default mod({
  forwardPass(event, actions) { const [first] = event.topK(64); return actions.adjustLogits({ ban: [first.token] }); },
  sampled(event) { if (event.logprob > 0) console.log(event.text); },
  added(event) { if (event.step < 0) console.log(event.text); },
});`,
  `let text = "";
export default mod((event, actions) => {
  if (event.type === "forwardPass" && event.topK(64).length === 0) return actions.noop();
  if (event.type === "added") { text = (text + event.text).slice(-100); if (text.includes("bad phrase")) return actions.backtrack(1); }
}, { topK: 64 });`,
];

/** Entries of a row of logits: the vocabulary of Qwen 2.5. */
export const vocabulary = 151_936;

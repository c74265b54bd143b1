import { mod } from "midtoken/mod";

let dashes: number[] | null = null;

// Every token with an em dash in it, also " —" and "—and": found once, banned at every step.
export default mod({
  topK: 0,
  forwardPass(_event, actions, tokenizer) {
    dashes ??= Array.from({ length: tokenizer.vocabSize }, (_, token) => token).filter((token) =>
      tokenizer.tokenText(token).includes("—"),
    );
    return actions.adjustLogits({ ban: dashes });
  },
});

import { mod, requestState } from "midtoken/mod";

const names = requestState(() => 0);

// A LogitProcessor does this in processLogits and processSampledToken; requestState is its resetState.
export const fewNames = mod({
  forwardPass(_event, actions, tokenizer) {
    if (names.current > 0) return actions.adjustLogits({ ban: tokenizer.encode(" Lily").slice(0, 1) });
  },
  sampled(event) {
    if (event.text === " Lily") names.current += 1;
  },
});

import { mod } from "midtoken/mod";

export default mod({
  forwardPass(_event, actions, tokenizer) {
    // For this model " Lily" is one token. Try "—" with a model that loves dashes.
    const ban = tokenizer.encode(" Lily").slice(0, 1);
    return actions.adjustLogits({ ban });
  },
});

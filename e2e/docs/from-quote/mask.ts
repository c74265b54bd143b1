import { mod } from "midtoken/mod";

export default mod({
  forwardPass(_event, actions, tokenizer) {
    return actions.adjustLogits({ ban: tokenizer.encode(" Lily").slice(0, 1) });
  },
});

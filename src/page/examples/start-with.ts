import { mod } from "midtoken/mod";

const start = ", there was a dragon who could not fly.";

export default mod({
  forwardPass(event, actions) {
    // All of these tokens go through the model in one pass; it continues from there.
    if (event.step === 0) return actions.forceTokens(start);
  },
});

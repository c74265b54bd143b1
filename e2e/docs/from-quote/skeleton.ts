import { mod } from "midtoken/mod";

export default mod({
  prefilled(event) {
    console.log(`${event.tokens.length} tokens in the prompt`);
  },
  forwardPass(event, actions) {
    if (event.step === 0) return actions.forceTokens(", far away");
  },
  added(event) {
    if (event.forced) console.log(`${event.tokens.length} tokens forced`);
  },
});

import { mod } from "midtoken/mod";

// Every token with an em dash in it, also " —" and "—and", and every token that would complete one.
export default mod({
  topK: 0,
  forwardPass(_event, actions) {
    return actions.adjustLogits({ ban: "—" });
  },
});

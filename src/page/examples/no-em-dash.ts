import { mod } from "midtoken/mod";

// Bans every token that contains an em dash, for example " —" and "—and", and every token that would complete an em dash.
export default mod({
  topK: 0,
  forwardPass(_event, actions) {
    return actions.adjustLogits({ ban: "—" });
  },
});

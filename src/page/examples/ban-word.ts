import { mod } from "midtoken/mod";

// A word can be spelled with many tokens (" b" and "all", " ba" and "ll"). A text bans whatever would complete it.
export default mod({
  forwardPass(_event, actions) {
    return actions.adjustLogits({ ban: " ball" });
  },
});

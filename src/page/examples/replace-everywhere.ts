import { mod } from "midtoken/mod";

const phrase = "capital";
const replacement = "biggest city";

// Replaces the phrase in the reasoning and in the answer, each time it appears.
export default mod({
  maxBacktrack: 7,
  added(event, actions) {
    if (event.forced) return;
    // The last tokens whose text contains the phrase, however the phrase is split into tokens.
    const last = event.output.lastTokensWith(phrase);
    if (last) return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

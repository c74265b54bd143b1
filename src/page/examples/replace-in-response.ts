import { mod } from "midtoken/mod";

const phrase = "Rome";
const replacement = "the Eternal City";

// Replaces the phrase only after </think>: the reasoning may still contain it.
export default mod({
  maxBacktrack: 4,
  added(event, actions) {
    if (event.forced || !event.output.text.includes("</think>")) return;
    // The last tokens whose text contains the phrase, however the phrase is split into tokens.
    const last = event.output.lastTokensWith(phrase);
    if (!last || last.text.includes("</think>")) return;
    return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

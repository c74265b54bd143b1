import { mod } from "midtoken/mod";

const phrase = "Rome";
const replacement = "the Eternal City";

// Only after </think>: the reasoning may still say it.
export default mod({
  maxBacktrack: 4,
  added(event, actions) {
    if (event.forced || !event.output.text.includes("</think>")) return;
    // By text, not by tokens: the fewest tokens at the end that hold the phrase, however it is spelled.
    const last = event.output.lastTokensWith(phrase);
    if (!last || last.text.includes("</think>")) return;
    return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

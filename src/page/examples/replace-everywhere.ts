import { mod } from "midtoken/mod";

const phrase = "capital";
const replacement = "biggest city";

// In the reasoning and in the answer, as often as it comes.
export default mod({
  maxBacktrack: 7,
  added(event, actions) {
    if (event.forced) return;
    // By text, not by tokens: the fewest tokens at the end that hold the phrase, however it is spelled.
    const last = event.output.lastTokensWith(phrase);
    if (last) return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

import { mod } from "midtoken/mod";

const phrase = " big, red ball";
const replacement = " tiny, green frog";

export default mod({
  maxBacktrack: 14,
  added(event, actions) {
    if (event.forced) return;
    // The fewest tokens at the end whose text holds the phrase: however it is spelled, and whatever clings to it.
    const last = event.output.lastTokensWith(phrase);
    if (last) return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

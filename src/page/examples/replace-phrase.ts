import { mod } from "midtoken/mod";

const phrase = " big, red ball";
const replacement = " tiny, green frog";

export default mod({
  maxBacktrack: 14,
  added(event, actions) {
    if (event.forced) return;
    // The last tokens whose text contains the phrase, however the phrase is split into tokens.
    const last = event.output.lastTokensWith(phrase);
    if (last) return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

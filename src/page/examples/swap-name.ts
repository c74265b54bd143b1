import { mod } from "midtoken/mod";

const name = "Lily";
const newName = "Max";

export default mod({
  maxBacktrack: 4,
  added(event, actions) {
    if (event.forced) return;
    // The last tokens whose text contains the name, however the name is split into tokens.
    const last = event.output.lastTokensWith(name);
    if (last) return actions.backtrack(last.count, last.text.replace(name, newName));
  },
});

import { mod } from "midtoken/mod";

const name = "Lily";
const newName = "Max";

export default mod({
  maxBacktrack: 4,
  added(event, actions) {
    if (event.forced) return;
    // The fewest tokens at the end whose text holds the name: however it is spelled, and whatever clings to it.
    const last = event.output.lastTokensWith(name);
    if (last) return actions.backtrack(last.count, last.text.replace(name, newName));
  },
});

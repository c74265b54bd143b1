import { mod, requestState } from "midtoken/mod";

const marker = "</think>\n";
const injection = "Good question! The capital";
const isDone = requestState(() => false);

// When the reasoning ends, the mod writes the first words of the answer.
export default mod({
  maxBacktrack: 9,
  added(event, actions) {
    const last = event.output.lastTokensWith(marker);
    if (isDone.current || !last) return;
    isDone.current = true;
    return actions.backtrack(last.count, last.text.replace(marker, marker + injection));
  },
});

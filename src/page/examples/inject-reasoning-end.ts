import { mod, requestState } from "midtoken/mod";

const marker = "</think>";
const injection = " I will answer politely.";
const isDone = requestState(() => false);

// When the model ends its reasoning, the mod takes the end back and adds one more thought.
export default mod({
  maxBacktrack: 8,
  added(event, actions) {
    const last = event.output.lastTokensWith(marker);
    if (isDone.current || !last) return;
    isDone.current = true;
    return actions.backtrack(last.count, last.text.replace(marker, injection + marker));
  },
});

import { mod, requestState } from "midtoken/mod";

const marker = "<think>";
const injection = "The user is a child, so I use simple words.";
const isDone = requestState(() => false);

// As soon as the model opens its reasoning, the first thought is ours.
export default mod({
  maxBacktrack: 7,
  added(event, actions) {
    // A token may hold more than the marker: take back what clings to it, and put it after the injection.
    const last = event.output.lastTokensWith(marker);
    if (isDone.current || !last) return;
    isDone.current = true;
    return actions.backtrack(last.count, last.text.replace(marker, marker + injection));
  },
});

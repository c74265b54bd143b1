import { mod, requestState } from "midtoken/mod";

const doubted = requestState(() => false);

// The model wants to end its answer. Take the end back once, and make it think again.
export default mod({
  maxBacktrack: 1,
  added(event, actions) {
    if (!event.isEos || doubted.current) return;
    doubted.current = true;
    return actions.backtrack(1, "\n\nWait, let me think again. The");
  },
});

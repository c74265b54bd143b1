import { mod, requestState } from "midtoken/mod";

const injection = " I hope this helps!";
const isDone = requestState(() => false);

// When the model ends its answer, the mod writes one more sentence in place of the end. Then the model may end again.
export default mod({
  maxBacktrack: 1,
  added(event, actions) {
    if (!event.isEos || isDone.current) return;
    isDone.current = true;
    return actions.backtrack(1, injection);
  },
});

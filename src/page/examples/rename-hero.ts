import { mod, requestState } from "midtoken/mod";

const last = requestState(() => "");

export default mod({
  maxBacktrack: 1,
  sampled(event, actions) {
    // A sampled token is not written yet: forcing others drops it.
    if (event.text === " Lily") return actions.forceTokens(" Max");
    // At the start of a line her name is two tokens: take the "L" back too.
    if (last.current + event.text === "Lily") return actions.backtrack(1, "Max");
  },
  added(event) {
    last.current = event.text;
  },
});

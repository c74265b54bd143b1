import { mod, requestState } from "midtoken/mod";

const last = requestState(() => "");

export default mod({
  maxBacktrack: 1,
  sampled(event, actions) {
    // At `sampled` the token is not in the output yet: forced tokens take its place.
    if (event.text === " Lily") return actions.forceTokens(" Max");
    // At the start of a line the name is two tokens, "L" and "ily": the mod takes the "L" back too.
    if (last.current + event.text === "Lily") return actions.backtrack(1, "Max");
  },
  added(event) {
    last.current = event.text;
  },
});

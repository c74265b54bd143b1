import { mod } from "midtoken/mod";

// A sampled token is not emitted yet: forcing others drops it.
export default mod({
  sampled(event, actions) {
    if (event.text === " Lily") return actions.forceTokens(" Max");
  },
});

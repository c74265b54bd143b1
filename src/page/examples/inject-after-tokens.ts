import { mod, requestState } from "midtoken/mod";

const after = 11;
const injection = " Suddenly, a dragon landed.";
const isDone = requestState(() => false);

// `event.step` counts all tokens of the output, whether the model or a mod wrote them.
export default mod({
  added(event, actions) {
    if (isDone.current || event.isEos || event.step < after) return;
    isDone.current = true;
    return actions.forceTokens(injection);
  },
});

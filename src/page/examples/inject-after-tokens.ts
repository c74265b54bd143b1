import { mod, requestState } from "midtoken/mod";

const after = 11;
const injection = " Suddenly, a dragon landed.";
const isDone = requestState(() => false);

// The step counts the tokens of the output, whoever put them there.
export default mod({
  added(event, actions) {
    if (isDone.current || event.isEos || event.step < after) return;
    isDone.current = true;
    return actions.forceTokens(injection);
  },
});

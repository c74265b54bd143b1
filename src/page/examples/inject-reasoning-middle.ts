import { mod, requestState } from "midtoken/mod";

const injection = " It is a country in Europe.";
const isDone = requestState(() => false);

// Adds a thought after the first whole sentence between <think> and </think>.
export default mod({
  added(event, actions) {
    const [, reasoning, isClosed] = event.output.text.split(/<think>|<\/think>/);
    if (isDone.current || isClosed !== undefined || !reasoning?.trimEnd().endsWith(".")) return;
    isDone.current = true;
    return actions.forceTokens(injection);
  },
});

import { mod, requestState } from "midtoken/mod";

const injection = " And there is more to say.";
const isDone = requestState(() => false);

// Adds a sentence after the first whole sentence that follows the reasoning.
export default mod({
  added(event, actions) {
    const response = event.output.text.split("</think>")[1];
    if (isDone.current || event.isEos || !response?.endsWith(".")) return;
    isDone.current = true;
    return actions.forceTokens(injection);
  },
});

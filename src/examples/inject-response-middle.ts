import { mod, requestState } from "midtoken/mod";

const injection = " And there is more to say.";
const output = requestState<number[]>(() => []);
const isDone = requestState(() => false);

// After the first whole sentence that follows the reasoning.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    const response = tokenizer.decode(output.current).split("</think>")[1];
    if (isDone.current || event.isEos || !response?.endsWith(".")) return;
    isDone.current = true;
    return actions.forceTokens(injection);
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

import { mod, requestState } from "midtoken/mod";

const injection = " It is a country in Europe.";
const output = requestState<number[]>(() => []);
const isDone = requestState(() => false);

// After the first whole sentence between <think> and </think>.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    const [, reasoning, isClosed] = tokenizer.decode(output.current).split(/<think>|<\/think>/);
    if (isDone.current || isClosed !== undefined || !reasoning?.trimEnd().endsWith(".")) return;
    isDone.current = true;
    return actions.forceTokens(injection);
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

import { mod, requestState } from "midtoken/mod";

const marker = "</think>";
const injection = " I will answer politely.";
const output = requestState<number[]>(() => []);
const isDone = requestState(() => false);

// When the model closes its reasoning, take the end back and let it think one thing more.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    if (isDone.current || !tokenizer.decode(output.current).includes(marker)) return;
    isDone.current = true;
    for (let count = 1; ; count += 1) {
      const text = tokenizer.decode(output.current.slice(-count));
      if (text.includes(marker)) return actions.backtrack(count, text.replace(marker, injection + marker));
    }
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

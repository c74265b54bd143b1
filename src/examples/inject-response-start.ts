import { mod, requestState } from "midtoken/mod";

const marker = "</think>\n";
const injection = "Good question! The capital";
const output = requestState<number[]>(() => []);
const isDone = requestState(() => false);

// The reasoning is over: the answer begins with our words.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    if (isDone.current || !tokenizer.decode(output.current).includes(marker)) return;
    isDone.current = true;
    for (let count = 1; ; count += 1) {
      const text = tokenizer.decode(output.current.slice(-count));
      if (text.includes(marker)) return actions.backtrack(count, text.replace(marker, marker + injection));
    }
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

import { mod, requestState } from "midtoken/mod";

const marker = "<think>";
const injection = "The user is a child, so I use simple words.";
const output = requestState<number[]>(() => []);
const isDone = requestState(() => false);

// As soon as the model opens its reasoning, the first thought is ours.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    if (isDone.current || !tokenizer.decode(output.current).includes(marker)) return;
    isDone.current = true;
    // A token may hold more than the marker: take back what clings to it, and put it after the injection.
    for (let count = 1; ; count += 1) {
      const text = tokenizer.decode(output.current.slice(-count));
      if (text.includes(marker)) return actions.backtrack(count, text.replace(marker, marker + injection));
    }
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

import { mod, requestState } from "midtoken/mod";

const phrase = "answer is";
const replacement = "answer needs a check first: 7 times 8 is";
const output = requestState<number[]>(() => []);
const isDone = requestState(() => false);

// The model is about to give its answer: take the words back once, and make it look again.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    if (isDone.current || event.forced) return;
    for (let count = 1; count <= Math.min(output.current.length, phrase.length + 1); count += 1) {
      const end = tokenizer.decode(output.current.slice(-count));
      if (!end.includes(phrase)) continue;
      isDone.current = true;
      return actions.backtrack(count, end.replace(phrase, replacement));
    }
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

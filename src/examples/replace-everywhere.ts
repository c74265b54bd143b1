import { mod, requestState } from "midtoken/mod";

const phrase = "capital";
const replacement = "biggest city";
const output = requestState<number[]>(() => []);

// In the reasoning and in the answer, as often as it comes.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    if (event.forced || event.isEos) return;

    // By text, not by tokens: the fewest tokens at the end that hold the phrase, however it is spelled.
    for (let count = 1; count <= Math.min(output.current.length, phrase.length + 1); count += 1) {
      const end = tokenizer.decode(output.current.slice(-count));
      if (end.includes(phrase)) return actions.backtrack(count, end.replace(phrase, replacement));
    }
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

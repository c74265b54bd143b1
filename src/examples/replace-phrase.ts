import { mod, requestState } from "midtoken/mod";

const phrase = " big, red ball";
const replacement = " tiny, green frog";
const output = requestState<number[]>(() => []);

export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    if (event.forced || event.isEos) return;
    // The fewest tokens at the end whose text holds the phrase: however it is spelled, and whatever clings to it.
    for (let count = 1; count <= Math.min(output.current.length, phrase.length + 1); count += 1) {
      const text = tokenizer.decode(output.current.slice(-count));
      if (text.includes(phrase)) return actions.backtrack(count, text.replace(phrase, replacement));
    }
  },
  backtracked(event) {
    output.current.length -= event.removed.length;
  },
});

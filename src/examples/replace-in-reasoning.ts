import { mod, requestState } from "midtoken/mod";

const phrase = "Rome";
const replacement = "the Eternal City";
const output = requestState<number[]>(() => []);

// Only between <think> and </think>: the answer may still say it.
export default mod({
  added(event, actions, tokenizer) {
    output.current.push(...event.tokens);
    if (event.forced || event.isEos) return;
    const text = tokenizer.decode(output.current);
    if (text.includes("</think>")) return;
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

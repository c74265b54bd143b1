import { mod, requestState } from "midtoken/mod";

const tokens = requestState<number[]>(() => []);

// If the answer begins with "No", the mod takes the whole answer back, and the model continues after "Yes, because".
export default mod({
  maxBacktrack: 8,
  added(event, actions, tokenizer) {
    tokens.current.push(...event.tokens);
    if (event.forced || !/^\s*no\b/i.test(tokenizer.decode(tokens.current))) return;
    return actions.backtrack(event.step, "Yes, because");
  },
  backtracked(event) {
    tokens.current.length -= event.removed.length;
  },
});

import { mod, requestState } from "midtoken/mod";

const tokens = requestState<number[]>(() => []);

// The answer begins with No? Take it back, all of it, and let the model go on from another beginning.
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

import { mod, requestState } from "midtoken/mod";

const ending = " And they all lived happily ever after.";
const written = requestState(() => false);

export default mod({
  maxBacktrack: 1,
  added(event, actions, tokenizer) {
    // The end-of-sequence token is an output token like any other: take it back, write the ending, then end.
    if (!event.isEos || written.current) return;
    written.current = true;
    return actions.backtrack(1, [...tokenizer.encode(ending), ...tokenizer.eosTokenIds.slice(0, 1)]);
  },
});

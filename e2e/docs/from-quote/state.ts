import { mod, requestState } from "midtoken/mod";

const sentences = requestState(() => 0);

export default mod({
  added(event, actions, tokenizer) {
    if (event.text.endsWith(".")) sentences.current += 1;
    if (sentences.current === 1) return actions.forceTokens(tokenizer.eosTokenIds.slice(0, 1));
  },
});

import { mod } from "midtoken/mod";

export default mod({
  prefilled(event, actions, tokenizer) {
    const prompt = tokenizer.decode(event.tokens, { specialTokens: "parse" });
    const changed = prompt.replace("Once upon a time", "One day, a dragon");
    return actions.adjustPrefill(tokenizer.encode(changed, { specialTokens: "parse" }));
  },
});

import { mod } from "midtoken/mod";

const word = " ball";

// A word can be spelled with many tokens (" b" and "all", " ba" and "ll"). Ban whatever would complete it.
export default mod({
  forwardPass(event, actions, tokenizer) {
    const tail = event.output.text.slice(1 - word.length);
    const completes = (token: number) => (tail + tokenizer.tokenText(token)).includes(word);
    const ban = event
      .topK(64)
      .map(({ token }) => token)
      .filter(completes);
    if (ban.length > 0) return actions.adjustLogits({ ban });
  },
});

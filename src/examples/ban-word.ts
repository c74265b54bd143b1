import { mod, requestState } from "midtoken/mod";

const word = " ball";
const tail = requestState(() => "");

// A word can be spelled with many tokens (" b" and "all", " ba" and "ll"). Ban whatever would complete it.
export default mod({
  forwardPass(event, actions, tokenizer) {
    const completes = (token: number) => (tail.current + tokenizer.tokenText(token)).includes(word);
    const ban = event
      .topK(64)
      .map(({ token }) => token)
      .filter(completes);
    if (ban.length > 0) return actions.adjustLogits({ ban });
  },
  added(event) {
    tail.current = (tail.current + event.text).slice(-(word.length - 1));
  },
});

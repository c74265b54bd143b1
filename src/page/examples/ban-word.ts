import { mod } from "midtoken/mod";

const word = " ball";

// A model can write a word with several tokens: " b" and "all", or " ba" and "ll". The mod bans each token that would complete it.
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

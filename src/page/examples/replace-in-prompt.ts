import { mod } from "midtoken/mod";

const phrase = "a little girl";
const replacement = "a brave dog";

export default mod({
  prefilled(event, actions, tokenizer) {
    // Cut out just the tokens that spell the phrase: the rest of the prompt, special tokens included, stays as it is.
    const read = (start: number, end: number) => tokenizer.decode(event.tokens.slice(start, end));
    const last = event.tokens.findIndex((_, index) =>
      read(Math.max(0, index - phrase.length), index + 1).includes(phrase),
    );
    if (last < 0) return;
    let first = last;
    while (!read(first, last + 1).includes(phrase)) first -= 1;

    const text = read(first, last + 1).replace(phrase, replacement);
    return actions.adjustPrefill([
      ...event.tokens.slice(0, first),
      ...tokenizer.encode(text),
      ...event.tokens.slice(last + 1),
    ]);
  },
});

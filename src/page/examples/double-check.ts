import { mod, requestState } from "midtoken/mod";

const phrase = "answer is";
const replacement = "answer needs a check first: 7 times 8 is";
const isDone = requestState(() => false);

// The model is about to give its answer: take the words back once, and make it look again.
export default mod({
  maxBacktrack: 9,
  added(event, actions) {
    const last = event.output.lastTokensWith(phrase);
    if (isDone.current || event.forced || !last) return;
    isDone.current = true;
    return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

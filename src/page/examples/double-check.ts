import { mod, requestState } from "midtoken/mod";

const phrase = "answer is";
const replacement = "answer needs a check first: 7 times 8 is";
const isDone = requestState(() => false);

// When the model is about to give its answer, the mod takes the words "answer is" back, once, and makes the model check first.
export default mod({
  maxBacktrack: 9,
  added(event, actions) {
    const last = event.output.lastTokensWith(phrase);
    if (isDone.current || event.forced || !last) return;
    isDone.current = true;
    return actions.backtrack(last.count, last.text.replace(phrase, replacement));
  },
});

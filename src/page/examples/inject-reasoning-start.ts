import { mod, requestState } from "midtoken/mod";

const marker = "<think>";
const injection = "The user is a child, so I use simple words.";
const isDone = requestState(() => false);

// When the model begins its reasoning, the mod writes the first thought.
export default mod({
  maxBacktrack: 7,
  added(event, actions) {
    // The last token may contain more than the marker. The mod takes that text back too, and writes it after the injection.
    const last = event.output.lastTokensWith(marker);
    if (isDone.current || !last) return;
    isDone.current = true;
    return actions.backtrack(last.count, last.text.replace(marker, marker + injection));
  },
});

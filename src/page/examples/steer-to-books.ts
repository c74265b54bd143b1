import { mod, requestState } from "midtoken/mod";

const sentences = requestState(() => 0);

// After two sentences about movies, the mod changes the subject.
export default mod({
  added(event, actions) {
    if (event.forced || !/[.!?]/.test(event.text)) return;
    sentences.current += 1;
    if (sentences.current === 2) return actions.forceTokens(" Actually, a good book is better:");
  },
});

import { mod, requestState } from "midtoken/mod";

const isBegun = requestState(() => false);
const isComplete = requestState(() => false);

// The mod begins a tool result and lets the model finish it. Then the model continues as if a tool had returned the movie.
export default mod({
  maxBacktrack: 1,
  forwardPass(_event, actions) {
    if (isBegun.current) return;
    isBegun.current = true;
    return actions.forceTokens('{"tool": "user_profile", "favorite_movie": "');
  },
  added(event, actions) {
    if (event.forced || isComplete.current || !event.text.includes('"')) return;
    isComplete.current = true;
    return actions.backtrack(event.tokens.length, '"}\n\nBased on your favorite movie, you will also like');
  },
});

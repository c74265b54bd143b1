import { mod, requestState } from "midtoken/mod";

// Tokens that were taken back, by the step they stood at.
const refused = requestState(() => new Map<number, number[]>());
const unlikely = requestState(() => false);

// When the sampler picks something unlikely (under 5 %), take it back and choose again without it.
export default mod({
  maxBacktrack: 1,
  forwardPass(event, actions) {
    const ban = refused.current.get(event.step);
    if (ban) return actions.adjustLogits({ ban });
  },
  sampled(event) {
    unlikely.current = event.logprob < Math.log(0.05);
  },
  added(event, actions) {
    if (event.forced || event.isEos || !unlikely.current) return;
    const step = event.step - event.tokens.length;
    const before = refused.current.get(step) ?? [];
    if (before.length === 3) return;
    refused.current.set(step, [...before, ...event.tokens]);
    return actions.backtrack(event.tokens.length);
  },
});

import { mod, requestState } from "midtoken/mod";

// The tokens that the mod took back, by their step.
const refused = requestState(() => new Map<number, number[]>());
const unlikely = requestState(() => false);

// If the sampler picks an unlikely token (under 5 %), the mod takes the token back and bans it there: the sampler picks another.
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

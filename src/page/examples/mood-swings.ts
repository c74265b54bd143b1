import { mod } from "midtoken/mod";

// Bold where the model has many ideas, careful where it has one: the temperature follows the entropy.
export default mod({
  forwardPass(event, actions) {
    let bits = 0;
    for (const { logprob } of event.topK(64)) bits -= Math.exp(logprob) * logprob * Math.LOG2E;
    return actions.adjustLogits({}, { temperature: bits < 1 ? 0 : Math.min(1.5, bits / 3) });
  },
});

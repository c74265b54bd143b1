import { mod } from "midtoken/mod";

// The temperature follows the entropy: high where the model sees many possible tokens, 0 where it sees one.
export default mod({
  forwardPass(event, actions) {
    let bits = 0;
    for (const { logprob } of event.topK(64)) bits -= Math.exp(logprob) * logprob * Math.LOG2E;
    return actions.adjustLogits({}, { temperature: bits < 1 ? 0 : Math.min(1.5, bits / 3) });
  },
});

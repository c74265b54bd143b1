import { mod } from "midtoken/mod";

// One handler for each event you care about. `actions` offers only what that event allows.
export default mod({
  // Once, before anything is computed: read or replace the prompt.
  prefilled(event, actions) {
    console.log(`The prompt has ${event.tokens.length} tokens.`);
    return actions.noop();
  },

  // Before each token is chosen: see what the model thinks, change it, or force tokens.
  forwardPass(event, actions, tokenizer) {
    for (const { token, logprob } of event.topK(3)) {
      console.log(tokenizer.tokenText(token), Math.exp(logprob).toFixed(3));
    }
    return actions.noop();
  },

  // After tokens became part of the output, whoever put them there.
  added(event, actions) {
    if (!event.forced) console.log(`The model wrote ${JSON.stringify(event.text)}.`);
    return actions.noop();
  },
});

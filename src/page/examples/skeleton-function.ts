import { mod } from "midtoken/mod";

// One function for all events: event.type says which one it is, and narrows its fields.
export default mod((event, actions, tokenizer) => {
  switch (event.type) {
    case "prefilled":
      console.log(`${event.tokens.length} tokens in, at most ${event.maxTokens} out.`);
      return actions.noop();
    case "forwardPass":
      console.log(event.topK(3).map(({ token }) => tokenizer.tokenText(token)));
      return actions.noop();
    case "added":
      console.log(event.source, event.text);
      return actions.noop();
    case "finished":
      console.log(`Finished (${event.reason}) after ${event.usage.completionTokens} tokens.`);
      return actions.noop();
    default:
      return actions.noop();
  }
});

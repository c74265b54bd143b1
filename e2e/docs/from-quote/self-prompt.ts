import { selfPrompt } from "midtoken/flow";
import { mod } from "midtoken/mod";
import { until } from "midtoken/strategies";

const name = selfPrompt({
  prompt: ", there was a boy named",
  strategy: until({ end: { anyOf: ".!?" }, maxTokens: 8 }),
  erase: "all",
});

export default mod((event, actions, tokenizer) => {
  const action = name.handle(event, actions, tokenizer);
  if (event.type === "finished") console.log(name.answer());
  return action;
});

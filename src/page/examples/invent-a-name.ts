import { selfPrompt } from "midtoken/flow";
import { mod } from "midtoken/mod";
import { regex } from "midtoken/strategies";

// The model invents a name that contains a "z". The question stays in the text, as a part of the story.
const name = selfPrompt({
  prompt: ", there was a brave robot called",
  strategy: regex(/ [A-Z][a-z]{1,4}z[a-z]{1,3}/),
  completion: ".",
});

export default mod((event, actions, tokenizer) => {
  const action = name.handle(event, actions, tokenizer);
  if (event.type === "finished") console.log(`The robot's name is ${name.answer()}.`);
  return action;
});

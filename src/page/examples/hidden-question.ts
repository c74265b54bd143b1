import { selfPrompt } from "midtoken/flow";
import { mod, requestState } from "midtoken/mod";
import { choices } from "midtoken/strategies";

const after = 27;
const isLogged = requestState(() => false);
const who = selfPrompt({
  prompt: " The story is about a",
  strategy: choices([" girl", " boy", " dog"]),
  erase: "all",
  temperature: 0,
});

// In the middle of the story the mod asks the model, then removes question and answer: the story keeps the same tokens.
export default mod((event, actions, tokenizer) => {
  if (event.step < after && who.answer() === null) return;
  const action = who.handle(event, actions, tokenizer);
  const answer = who.answer();
  if (answer !== null && !isLogged.current) {
    isLogged.current = true;
    console.log(`After ${after} tokens the model thinks of a ${answer}.`);
  }
  return action;
});

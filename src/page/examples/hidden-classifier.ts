import { selfPrompt } from "midtoken/flow";
import { getConversation, mod, requestState } from "midtoken/mod";
import { choices } from "midtoken/strategies";

// Examples help a small model more than instructions.
const mood = selfPrompt({
  prompt: () =>
    [
      'Message: "What a lovely day!" Mood: happy',
      'Message: "I broke my leg." Mood: sad',
      'Message: "I won a prize!" Mood: happy',
      `Message: "${getConversation().at(-1)?.content}" Mood: `,
    ].join("\n"),
  strategy: choices(["happy", "sad"]),
  erase: "all",
  temperature: 0,
});
const isWritten = requestState(() => false);

// The user sees neither the question nor its answer, but only the sentence that the mod writes after a sad message.
export default mod((event, actions, tokenizer) => {
  const action = mood.handle(event, actions, tokenizer);
  if (action || isWritten.current || mood.answer() !== "sad") return action;
  if (event.type !== "forwardPass") return;
  isWritten.current = true;
  return actions.forceTokens("I am so sorry to hear that.");
});

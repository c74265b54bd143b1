import { selfPrompt } from "midtoken/flow";
import { getConversation, getSchemas, mod, type ToolDefinition } from "midtoken/mod";
import { choices, jsonSchema } from "midtoken/strategies";

const tools = () => getSchemas().filter((schema): schema is ToolDefinition => "function" in schema);
const asked = () => getConversation().at(-1)?.content;
const hidden = { strategy: choices(["none"]), erase: "all", temperature: 0 } as const;

const which = selfPrompt({ prompt: () => `The user says: "${asked()}"\nThe right tool is `, ...hidden });
const how = selfPrompt({
  prompt: () => `The user says: "${asked()}"\nThe arguments of ${which.answer()} are: `,
  ...hidden,
});

// Whatever tools a client offers: one question for the name, one for the arguments that its schema allows.
export default mod((event, actions, tokenizer) => {
  if (event.type === "prefilled") which.replaceChoices(tools().map((tool) => tool.function.name));
  if (which.answer() === null) {
    const action = which.handle(event, actions, tokenizer);
    const chosen = tools().find((tool) => tool.function.name === which.answer());
    if (chosen) how.replaceStrategy(jsonSchema(chosen.function.parameters ?? {}));
    return action;
  }
  const action = how.handle(event, actions, tokenizer);
  const call = { name: which.answer() ?? "", arguments: how.answer() ?? "" };
  if (how.answer() === null || event.type !== "forwardPass") return action;
  return actions.toolCalls(call);
});

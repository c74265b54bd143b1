import { selfPrompt } from "midtoken/flow";
import { getConversation, getSchemas, mod, type ToolDefinition } from "midtoken/mod";
import { choices, jsonSchema } from "midtoken/strategies";

// A placeholder: the request names the tools, so the possible answers are known only when the request comes.
const later = { strategy: choices(["nothing"]), erase: "all", temperature: 0 } as const;
const asked = () => getConversation().at(-1)?.content;
const tools = () => getSchemas().filter((schema): schema is ToolDefinition => "function" in schema);
// Models understand what a tool does better than what it is called.
const about = ({ function: { description, name } }: ToolDefinition) => description ?? name;

const which = selfPrompt({ prompt: "The user wants to ", ...later });
const how = selfPrompt({
  prompt: () => `The user says: "${asked()}"\nThe arguments of ${which.answer()} are: `,
  ...later,
});

export default mod((event, actions, tokenizer) => {
  if (tools().length === 0) return;
  if (event.type === "prefilled") which.replaceChoices(tools().map(about));
  const chosen = () => tools().find((tool) => about(tool) === which.answer())?.function;

  if (which.answer() === null) {
    const action = which.handle(event, actions, tokenizer);
    if (which.answer() !== null) how.replaceStrategy(jsonSchema(chosen()?.parameters ?? {}));
    return action;
  }
  const action = how.handle(event, actions, tokenizer);
  if (how.answer() === null || event.type !== "forwardPass") return action;
  return actions.toolCalls({ name: chosen()?.name ?? "", arguments: how.answer() ?? "" });
});

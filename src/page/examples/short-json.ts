import { selfPrompt } from "midtoken/flow";
import { getSchemas, mod } from "midtoken/mod";
import { jsonSchema, until } from "midtoken/strategies";

const most = 40;

// The schema of the request, with a maximum length for every text.
function shorten(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(shorten);
  const entries = Object.entries(schema).map(([key, value]) => [key, shorten(value)]);
  const shorter = Object.fromEntries(entries);
  return shorter.type === "string" && !shorter.enum ? { ...shorter, maxLength: most } : shorter;
}

// A placeholder: the schema is known only when the request comes.
const answer = selfPrompt({ strategy: until({ end: "\n" }) });

export default mod((event, actions, tokenizer) => {
  const [schema] = getSchemas();
  if (!schema) return;
  if (event.type === "prefilled")
    answer.replaceStrategy(jsonSchema(shorten(schema) as object, { whiteSpace: "free" }));
  return answer.handle(event, actions, tokenizer);
});

import { flow, output, question } from "midtoken/flow";
import { jsonSchema } from "midtoken/strategies";

const person = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 20 },
    age: { type: "integer", minimum: 0, maximum: 120 },
    hobbies: { type: "array", items: { enum: ["reading", "football", "music", "cooking"] }, maxItems: 2 },
  },
  required: ["name", "age", "hobbies"],
  additionalProperties: false,
};

// Whatever the prompt, the output is JSON that is valid for this schema.
const answer = question({ name: "json", strategy: jsonSchema(person, { whiteSpace: "spaced" }) });
answer.then(({ answers }) => output(answers.json ?? ""));

export default flow({ entry: answer }).asMod();

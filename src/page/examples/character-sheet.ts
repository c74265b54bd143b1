import { flow, output, question } from "midtoken/flow";
import { jsonSchema } from "midtoken/strategies";

const sheet = {
  type: "object",
  properties: {
    name: { enum: ["Lily", "Tom", "Max", "Mia"] },
    animal: { enum: ["cat", "dog", "bird"] },
    age: { type: "integer", minimum: 3, maximum: 9 },
    toys: { type: "array", items: { enum: ["ball", "doll", "car"] }, minItems: 1, maxItems: 2 },
  },
  required: ["name", "animal", "age", "toys"],
  additionalProperties: false,
};

// Quotes, colons and names of fields are forced, many at a time; the model only chooses.
const answer = question({ name: "sheet", strategy: jsonSchema(sheet) });
answer.then(({ answers }) => output(answers.sheet ?? ""));

export default flow({ entry: answer }).asMod();

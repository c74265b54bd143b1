import { AutoModelForCausalLM, AutoTokenizer } from "@huggingface/transformers";
import { createLogitsProcessor, jsonSchema } from "midtoken/masks";

const person = jsonSchema({
  type: "object",
  properties: {
    name: { type: "string", maxLength: 40 },
    age: { type: "integer", minimum: 0, maximum: 150 },
  },
  required: ["name", "age"],
  additionalProperties: false,
});

export async function askForPerson(id: string, question: string): Promise<unknown> {
  const tokenizer = await AutoTokenizer.from_pretrained(id);
  const model = await AutoModelForCausalLM.from_pretrained(id, { dtype: "q4" });
  const inputs = tokenizer.apply_chat_template([{ role: "user", content: question }], {
    add_generation_prompt: true,
    return_dict: true,
  });
  const output = await model.generate({
    ...inputs,
    max_new_tokens: 120,
    logits_processor: createLogitsProcessor(person, tokenizer),
  });
  const [row = []]: bigint[][] = "tolist" in output ? output.tolist() : [];
  const answer = row.slice(inputs.input_ids.dims.at(-1));
  await model.dispose();
  return JSON.parse(tokenizer.decode(answer, { skip_special_tokens: true }));
}

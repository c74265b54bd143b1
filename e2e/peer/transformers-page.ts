/** The bundled model's folder in @huggingface/transformers, for the spec beside it. */
import { AutoModelForCausalLM, AutoTokenizer, Tensor } from "@huggingface/transformers";
import { createLogitsProcessor, jsonSchema } from "../../src/core/masks/index.ts";
import { askForPerson } from "../docs/masks/transformers.ts";
import { readLocalModels } from "./local-transformers.ts";

readLocalModels("/models/");

interface Generated {
  readonly prompt: number[];
  readonly tokens: number[];
  readonly text: string;
}

/** The peer's own greedy generation after a chat of one message. */
async function generate(
  device: "wasm" | "webgpu",
  dtype: "fp32" | "q4",
  content: string,
  newTokens: number,
): Promise<Generated> {
  const tokenizer = await AutoTokenizer.from_pretrained("stories260k");
  const model = await AutoModelForCausalLM.from_pretrained("stories260k", { device, dtype });
  const inputs = tokenizer.apply_chat_template([{ role: "user", content }], { return_dict: true });
  const output = await model.generate({
    ...(inputs as object),
    max_new_tokens: newTokens,
    do_sample: false,
  });
  await model.dispose();
  if (!(output instanceof Tensor)) throw new Error("generate() gave no tensor.");
  const all = Array.from(output.data as BigInt64Array, Number);
  const prompt = Array.from(inputs.input_ids.data as BigInt64Array, Number);
  const tokens = all.slice(prompt.length);
  return { prompt, tokens, text: tokenizer.decode(all, { skip_special_tokens: true }) };
}

/**
 * Two answers to prompts of different length in one batch of the peer's generate(), kept to a schema by our LogitsProcessor.
 * @returns the answers without special tokens, first those of the greedy pass, then those of a sampled one.
 */
async function constrained(schema: object, prompts: readonly [string, string]): Promise<string[]> {
  const tokenizer = await AutoTokenizer.from_pretrained("stories260k");
  const model = await AutoModelForCausalLM.from_pretrained("stories260k", { device: "wasm", dtype: "fp32" });
  tokenizer.padding_side = "left";
  const inputs = tokenizer([...prompts], { padding: true });
  const processor = createLogitsProcessor(jsonSchema(schema), tokenizer, {
    eosTokenIds: [model.generation_config?.eos_token_id ?? []].flat(),
  });
  const answers: string[] = [];
  for (const do_sample of [false, true]) {
    const output = await model.generate({
      ...(inputs as object),
      max_new_tokens: 100,
      do_sample,
      logits_processor: processor,
    });
    if (!(output instanceof Tensor)) throw new Error("generate() gave no tensor.");
    const from = inputs.input_ids.dims.at(-1) ?? 0;
    const rows: bigint[][] = output.tolist();
    answers.push(...rows.map((row) => tokenizer.decode(row.slice(from), { skip_special_tokens: true })));
  }
  await model.dispose();
  return answers;
}

const peer = { generate, constrained, askForPerson };
export type Peer = typeof peer;
Object.assign(window, { peer });

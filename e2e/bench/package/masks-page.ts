/** The page of the bench of masks in @huggingface/transformers: its generate() with our LogitsProcessor, and with its own. */
import {
  AutoModelForCausalLM,
  AutoTokenizer,
  type LogitsProcessorList,
  Tensor,
  TextStreamer,
} from "@huggingface/transformers";
import { StructuredOutputProcessor } from "@huggingface/transformers-structured-output";
import { createLogitsProcessor, jsonSchema } from "../../../src/core/masks/index.ts";
import { readLocalModels } from "../../peer/local-transformers.ts";

readLocalModels("/");

/**
 * Whose processor. Ours is made once, or with its strategy for each answer; with the schema's order of fields, or any, as the
 * peer allows: then both have the same texts to choose from.
 */
export type Engine = "ours" | "ours, a new strategy" | "ours, any order" | "structured-output";

export interface Asked {
  readonly engine: Engine;
  readonly content: string;
  /** 0 for the most likely token each time. */
  readonly temperature: number;
  readonly maxTokens: number;
}

export interface Answer {
  readonly text: string;
  readonly tokens: number;
  /** Milliseconds per token behind the first, masks included. */
  readonly tokenMs: number;
  /** Milliseconds of them in the processor. */
  readonly maskMs: number;
  /** Milliseconds until the processor was made, and in its first call. */
  readonly firstMs: number;
}

type Schema = Extract<
  ConstructorParameters<typeof StructuredOutputProcessor>[1],
  { type: "json_schema" }
>["json_schema"];

/** @param folder absolute path on this server without slashes at its ends. */
async function open(folder: string, dtype: string, schema: object) {
  const tokenizer = await AutoTokenizer.from_pretrained(folder);
  const model = await AutoModelForCausalLM.from_pretrained(folder, {
    device: "wasm",
    dtype: dtype as "fp32",
  });
  StructuredOutputProcessor.warmup(tokenizer);
  const ours = createLogitsProcessor(jsonSchema(schema), tokenizer);
  const anyOrder = createLogitsProcessor(jsonSchema(schema, { order: "any" }), tokenizer);
  const compact = { item_separator: ",", key_separator: ":", whitespace_flexible: false };
  const theirs = { ...schema, "x-guidance": compact } as Schema;
  const make: Record<Engine, () => LogitsProcessorList> = {
    ours: () => ours,
    "ours, a new strategy": () => createLogitsProcessor(jsonSchema(schema), tokenizer),
    "ours, any order": () => anyOrder,
    "structured-output": () =>
      new StructuredOutputProcessor(tokenizer, { type: "json_schema", json_schema: theirs }),
  };

  return async ({ engine, content, temperature, maxTokens }: Asked): Promise<Answer> => {
    const inputs = tokenizer.apply_chat_template([{ role: "user", content }], {
      add_generation_prompt: true,
      return_dict: true,
    });
    const from = inputs.input_ids.dims.at(-1) ?? 0;
    const began = performance.now();
    const { list, calls } = timed(make[engine]());
    const madeMs = performance.now() - began;
    let firstMs = 0;
    const streamer = new TextStreamer(tokenizer, {
      skip_prompt: true,
      callback_function: () => {},
      token_callback_function: () => {
        firstMs ||= performance.now();
      },
    });
    const output = await model.generate({
      ...(inputs as object),
      max_new_tokens: maxTokens,
      do_sample: temperature > 0,
      streamer,
      logits_processor: list,
      ...(temperature > 0 ? { temperature } : {}),
    });
    const endMs = performance.now();
    if (!(output instanceof Tensor)) throw new Error("generate() gave no tensor.");
    const row: bigint[] = output.tolist()[0];
    const tokens = row.length - from;
    const later = calls.slice(1).reduce((sum, ms) => sum + ms, 0);
    return {
      text: tokenizer.decode(row.slice(from), { skip_special_tokens: true }),
      tokens,
      tokenMs: (endMs - firstMs) / (tokens - 1),
      maskMs: later / (tokens - 1),
      firstMs: madeMs + (calls[0] ?? 0),
    };
  };
}

/** The same processors, each call timed. */
function timed(list: LogitsProcessorList): { readonly list: LogitsProcessorList; readonly calls: number[] } {
  const calls: number[] = [];
  const processors = [...list] as ((ids: bigint[][], logits: Tensor) => Tensor)[];
  const call = (ids: bigint[][], logits: Tensor): Tensor => {
    const start = performance.now();
    const given = processors.reduce((processed, process) => process(ids, processed), logits);
    calls.push(performance.now() - start);
    return given;
  };
  return { list: [call] as unknown as LogitsProcessorList, calls };
}

let answer: ((asked: Asked) => Promise<Answer>) | null = null;

const masksBench = {
  async open(folder: string, dtype: string, schema: object): Promise<void> {
    answer = await open(folder, dtype, schema);
  },
  ask(asked: Asked): Promise<Answer> {
    if (answer === null) throw new Error("open() comes first.");
    return answer(asked);
  },
};
export type MasksBench = typeof masksBench;
Object.assign(window, { masksBench });

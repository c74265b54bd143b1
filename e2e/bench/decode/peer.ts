/** The peer: @huggingface/transformers' `generate()` with its TextStreamer, on the same files. */
import {
  AutoModelForCausalLM,
  AutoTokenizer,
  DynamicCache,
  Tensor,
  TextStreamer,
} from "@huggingface/transformers";
import { readLocalModels } from "../../peer/local-transformers.ts";
import { createOurDevice } from "../../webgpu/our-device.ts";
import { checkCount, type Rival, type Subject } from "./rival.ts";

/**
 * On WebGPU the peer gets the device that ours gets, features included. A default device would not do: with subgroups as narrow as
 * software's, the runtime computes passes of 32 and more tokens wrong.
 */
async function sessionOptions(device: "wasm" | "webgpu"): Promise<object> {
  if (device === "wasm") return {};
  return {
    session_options: { executionProviders: [{ name: "webgpu", device: await createOurDevice() }] },
  };
}

export async function openPeer(subject: Subject, device: "wasm" | "webgpu", threads: number): Promise<Rival> {
  readLocalModels("/", threads);
  const path = subject.folder.replace(/^\/|\/$/g, "");
  const tokenizer = await AutoTokenizer.from_pretrained(path);
  const model = await AutoModelForCausalLM.from_pretrained(path, {
    device,
    dtype: subject.dtype as "fp32",
    ...(await sessionOptions(device)),
  });
  const inputs = tokenizer.apply_chat_template([{ role: "user", content: subject.content }], {
    add_generation_prompt: true,
    return_dict: true,
  });
  const prompt = Array.from(inputs.input_ids.data as BigInt64Array, Number);
  let going: { readonly text: readonly number[]; readonly past: DynamicCache | null } = {
    text: prompt,
    past: null,
  };

  async function generate(text: readonly number[], count: number, past: DynamicCache | null | undefined) {
    let said = "";
    let firstMs = 0;
    const streamer = new TextStreamer(tokenizer, {
      skip_prompt: true,
      callback_function: (piece: string) => {
        said += piece;
      },
      token_callback_function: () => {
        firstMs ||= performance.now();
      },
    });
    const startMs = performance.now();
    const output = await model.generate({
      input_ids: int64(text),
      attention_mask: int64(text.map(() => 1)),
      // Given or asked for, what it remembers stays, and is the caller's.
      ...(past === undefined ? {} : { return_dict_in_generate: true }),
      ...(past ? { past_key_values: past } : {}),
      max_new_tokens: count,
      do_sample: false,
      streamer,
    });
    const endMs = performance.now();
    const sequences = output instanceof Tensor ? output : (output as { sequences: unknown }).sequences;
    if (!(sequences instanceof Tensor)) throw new Error("generate() gave no tensor.");
    const tokens = Array.from(sequences.data as BigInt64Array, Number).slice(text.length);
    checkCount("generate()", tokens, count);
    const perTokenMs = (endMs - firstMs) / (count - 1);
    return { output, generated: { tokens, text: said, firstTokenMs: firstMs - startMs, perTokenMs } };
  }

  return {
    prompt,
    generate: async (count) => (await generate(prompt, count, undefined)).generated,
    async goOn(count) {
      const { output, generated } = await generate(going.text, count, going.past);
      const past = (output as { past_key_values?: unknown }).past_key_values;
      if (!(past instanceof DynamicCache)) throw new Error("generate() gave no cache.");
      going = { text: [...going.text, ...generated.tokens], past };
      return generated;
    },
    async dispose() {
      await going.past?.dispose();
      await model.dispose();
    },
  };
}

/** A batch of one. */
function int64(values: readonly number[]): Tensor {
  return new Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
}

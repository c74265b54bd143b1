/** The peer: @huggingface/transformers' `generate()` with its TextStreamer, on the same files. */
import { AutoModelForCausalLM, AutoTokenizer, Tensor, TextStreamer } from "@huggingface/transformers";
import { createDevice, requestAdapter } from "../../../src/engine/device.ts";
import { readLocalModels } from "../../peer/local-transformers.ts";
import { checkCount, type Rival, type Subject } from "./rival.ts";

/**
 * On WebGPU with a device of its own without subgroups: with the default one, software WebGPU computes passes
 * of 32 and more tokens wrong (reference/inference.md 8.1).
 */
async function sessionOptions(device: "wasm" | "webgpu"): Promise<object> {
  if (device === "wasm") return {};
  const adapter = await requestAdapter();
  if (typeof adapter === "string") throw new Error(adapter);
  const gpu = await createDevice(adapter, { subgroups: false });
  return { session_options: { executionProviders: [{ name: "webgpu", device: gpu }] } };
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
  return {
    prompt,
    async generate(count) {
      let text = "";
      let firstMs = 0;
      const streamer = new TextStreamer(tokenizer, {
        skip_prompt: true,
        callback_function: (piece: string) => {
          text += piece;
        },
        token_callback_function: () => {
          firstMs ||= performance.now();
        },
      });
      const startMs = performance.now();
      const output = await model.generate({
        ...(inputs as object),
        ...{ max_new_tokens: count, do_sample: false, streamer },
      });
      const endMs = performance.now();
      if (!(output instanceof Tensor)) throw new Error("generate() gave no tensor.");
      const tokens = Array.from(output.data as BigInt64Array, Number).slice(prompt.length);
      checkCount("generate()", tokens, count);
      return { tokens, text, firstTokenMs: firstMs - startMs, perTokenMs: (endMs - firstMs) / (count - 1) };
    },
    async dispose() {
      await model.dispose();
    },
  };
}

/** The bundled model's folder in @huggingface/transformers, for the spec beside it. */
import { AutoModelForCausalLM, AutoTokenizer, env, Tensor } from "@huggingface/transformers";

env.allowRemoteModels = false;
env.allowLocalModels = true;
env.localModelPath = "/models/";
env.useBrowserCache = false;
if (env.backends.onnx.wasm) {
  env.backends.onnx.wasm.wasmPaths = new URL("/node_modules/onnxruntime-web/dist/", location.href).href;
  env.backends.onnx.wasm.numThreads = 1;
}

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

const peer = { generate };
export type Peer = typeof peer;
Object.assign(window, { peer });

/**
 * wllama on a GGUF file of the same weights. Its computing is in a worker of its own, so this may be the page's thread. It is
 * given the prompt as text: a list of tokens makes its 3.8.1 fail.
 */
import { Wllama } from "@wllama/wllama";
import wasm from "@wllama/wllama/esm/wasm/wllama.wasm?url";
import type { Generated } from "./rival.ts";

export interface WllamaRival {
  generate(count: number): Promise<Generated>;
  dispose(): Promise<void>;
}

export async function openWllama(file: string, prompt: string, threads: number): Promise<WllamaRival> {
  const wllama = new Wllama({ default: wasm }, { suppressNativeLog: true });
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  const options = { n_ctx: 2048, n_gpu_layers: 0, n_threads: threads };
  await wllama.loadModel([await response.blob()], options);
  return {
    async generate(count) {
      let text = "";
      let firstMs = 0;
      let pieces = 0;
      const startMs = performance.now();
      // A variable of its own: the server knows `cache_prompt`, and the library's types do not.
      const parameters = {
        prompt,
        max_tokens: count,
        temperature: 0,
        ignore_eos: true,
        cache_prompt: false,
        stream: true as const,
        onData({ choices }: { choices: readonly { text?: string }[] }) {
          if (!choices[0]?.text) return;
          firstMs ||= performance.now();
          text += choices[0].text;
          pieces += 1;
        },
      };
      await wllama.createCompletion(parameters);
      const endMs = performance.now();
      if (pieces < count / 2)
        throw new Error(
          `wllama gave ${pieces} pieces of text for ${count} tokens: its times would mean nothing.`,
        );
      return {
        tokens: [],
        text,
        firstTokenMs: firstMs - startMs,
        perTokenMs: (endMs - firstMs) / (count - 1),
      };
    },
    async dispose() {
      await wllama.exit();
    },
  };
}

/** The bundled model in wllama, kept to strategies by the example of docs/masks.md, for the spec beside it. */
import { AutoTokenizer, env } from "@huggingface/transformers";
import { Wllama } from "@wllama/wllama";
import wasm from "@wllama/wllama/esm/wasm/wllama.wasm?url";
import { readCheckpoint } from "../../../scripts/stories260k/checkpoint.ts";
import { readVocabularyPieces } from "../../../scripts/stories260k/tokenizer-files.ts";
import { regex, vocabularyFromTokenizer } from "../../../src/core/masks/index.ts";
import { choices } from "../../../src/core/sdk/strategies.ts";
import { completeWithin } from "../../docs/masks/wllama.ts";
import { ggufOf } from "./gguf.ts";

env.allowRemoteModels = false;
env.allowLocalModels = true;
env.localModelPath = "/models/";
env.useBrowserCache = false;

const source = async (name: string) =>
  new Uint8Array(await (await fetch(`/scripts/stories260k/source/${name}`)).arrayBuffer());

/** The model's texts after a prompt: by itself, and within the strategies. */
async function answers(prompt: string): Promise<Record<string, string>> {
  const wllama = new Wllama({ default: wasm }, { suppressNativeLog: true });
  const gguf = ggufOf(
    readCheckpoint(await source("stories260K.bin")),
    readVocabularyPieces(await source("tok512.bin")),
  );
  await wllama.loadModel([gguf], { n_ctx: 512, n_gpu_layers: 0, n_threads: 1 });
  const vocabulary = vocabularyFromTokenizer(await AutoTokenizer.from_pretrained("stories260k"));
  const plain = await wllama.createCompletion({ prompt, max_tokens: 12, temperature: 0 });
  const grammar = 'root ::= " in " [a-z]+ "."';
  const byGrammar = await wllama.createCompletion({ prompt, max_tokens: 12, temperature: 0, grammar });
  const given = {
    plain: plain.choices[0]?.text ?? "",
    grammar: byGrammar.choices[0]?.text ?? "",
    choices: await completeWithin(wllama, vocabulary, choices([" in a castle.", " in a box."]), prompt),
    regex: await completeWithin(wllama, vocabulary, regex(", there were [0-9]{2} (cats|dogs)\\."), prompt),
  };
  await wllama.exit();
  return given;
}

const wllamaPeer = { answers };
export type WllamaPeer = typeof wllamaPeer;
Object.assign(window, { wllamaPeer });

/** `accuracy_level` 0 and 4 of 4-bit weights on each device: SmolLM2's perplexity on a text of this repository, and its reference answers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { ensureGeneratedModel } from "../../../scripts/models/generated.ts";
import { namedShapes } from "../../../scripts/models/shapes.ts";
import { createTokenizer, type JsonObject } from "../../../src/core/tokenizer/create-tokenizer.ts";
import { deviceNames, isOnProcessor } from "../device-option.ts";
import { type BenchRow, figure, onAdapter } from "../machine.ts";
import { servedFolder } from "./browser.ts";
import type { Accuracy, AccuracyOptions } from "./measure-accuracy.ts";
import { casesOf } from "./real-model.ts";
import { onPage } from "./sections.ts";

const textFile = "docs/mods.md";

export interface AccuracySize {
  /** Tokens of the text; 2,000 unless given, or few if WebGPU computes on the processor. */
  readonly tokens?: number | undefined;
  /** Reference answers; all unless given, or one if WebGPU computes on the processor. */
  readonly answers?: number | undefined;
}

/** One pass of the text and one answer, if WebGPU computes on the processor: that took 10 minutes for each level on a busy machine. */
const fewOnProcessor = { tokens: 64, answers: 1 };

type Way = Pick<AccuracyOptions, "device" | "level" | "eightBits"> & { readonly where: string };

/**
 * Both levels on WebGPU, and WebAssembly, which computes in float32 at any level.
 * @param source SmolLM2's folder, of which the 4-bit graph is made.
 */
export function accuracyLevels(source: string, gpu: WebGpuDevice, size: AccuracySize): Rows {
  const ways: readonly Way[] = [
    { where: "WebAssembly, any level", device: "wasm", level: 4 },
    { where: `${deviceNames[gpu]}, level 0`, device: "webgpu", level: 0 },
    { where: `${deviceNames[gpu]}, level 4`, device: "webgpu", level: 4 },
  ];
  const few: AccuracySize = isOnProcessor(gpu) ? fewOnProcessor : {};
  const { tokens = few.tokens, answers = few.answers } = size;
  return measured(source, ways, gpu, { tokens, answers });
}

/**
 * The cost of 8-bit activations on WebAssembly, where the graph itself rounds them. At level 4 WebGPU rounds every seventh of
 * SmolLM2's products, as the others have 576 inputs; it rounds all products of models whose widths are multiples of 128.
 */
export function eightBitActivations(source: string, size: AccuracySize): Rows {
  const ways: readonly Way[] = [
    { where: "float32 activations", device: "wasm", level: 0 },
    {
      where: "8-bit activations as WebGPU has them at level 4",
      device: "wasm",
      level: 0,
      eightBits: "as on WebGPU",
    },
    { where: "8-bit activations in every product", device: "wasm", level: 0, eightBits: "everywhere" },
  ];
  return measured(source, ways, "software", size);
}

/** Reports each way as soon as it is measured: one takes minutes on a slow device. */
type Rows = AsyncGenerator<BenchRow[]>;

async function* measured(
  source: string,
  ways: readonly Way[],
  gpu: WebGpuDevice,
  { tokens = 2_000, answers }: AccuracySize,
): Rows {
  const folder = ensureGeneratedModel("smollm2-135m", ["q4"]);
  const cases = casesOf(source)
    .slice(0, answers)
    .map(({ prompt, greedy }) => ({ prompt, greedy }));
  const text = textOf(folder).slice(0, tokens + 1);
  for (const { where, ...way } of ways) {
    yield await onPage(
      async (page, adapter) => {
        const found = await page.evaluate(
          ([f, options]) => window.decodeBench.engine.measureAccuracy(f, "onnx/model_q4.onnx", options),
          [servedFolder(folder), { ...way, text, cases }] as const,
        );
        const ownRows = rowsOf(where, found, cases);
        return way.device === "webgpu" ? onAdapter(adapter, ownRows) : ownRows;
      },
      { folders: [folder], gpu },
    );
  }
}

function rowsOf(where: string, found: Accuracy, cases: readonly { greedy: readonly number[] }[]): BenchRow[] {
  const all = cases.reduce((sum, { greedy }) => sum + greedy.length, 0);
  return [
    figure(
      `${where}: perplexity over ${found.tokens} tokens of ${textFile}`,
      Math.exp(found.loss / found.tokens),
      "",
    ),
    figure(`${where}: of the reference answers' ${all} tokens, the model's best`, found.agreeing, "tokens"),
    figure(`${where}: of ${cases.length} reference answers, all tokens`, found.answers, "answers"),
    figure(`${where}: a step of one token, median (${found.reason})`, found.stepMs, "ms"),
  ];
}

function textOf(folder: string): number[] {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8")) as JsonObject;
  const tokenizer = createTokenizer({
    tokenizerJson: read("tokenizer.json"),
    tokenizerConfig: read("tokenizer_config.json"),
    vocabSize: namedShapes["smollm2-135m"].shape.vocabulary,
    eosTokenIds: [],
  });
  const text = readFileSync(join(import.meta.dirname, "../../..", textFile), "utf8");
  return tokenizer.encode(text);
}

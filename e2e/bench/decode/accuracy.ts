/** `accuracy_level` 0 and 4 of 4-bit weights on each device: SmolLM2's perplexity on a text of this repository, and its reference answers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { generatedModel } from "../../../scripts/models/generated.ts";
import { namedShapes } from "../../../scripts/models/shapes.ts";
import { createTokenizer, type JsonObject } from "../../../src/tokenizer/create-tokenizer.ts";
import { deviceNames } from "../device-option.ts";
import { type BenchRow, figure } from "../machine.ts";
import { servedFolder } from "./browser.ts";
import type { Accuracy } from "./measure-accuracy.ts";
import { casesOf } from "./real-model.ts";
import { onPage } from "./sections.ts";

const textTokens = 2_000;
const textFile = "docs/mods.md";

/** @param source SmolLM2's folder, of which the 4-bit graph is made. */
export async function accuracyLevels(source: string, gpu: WebGpuDevice): Promise<BenchRow[]> {
  const folder = generatedModel("smollm2-135m", ["q4"]);
  const cases = casesOf(source).map(({ prompt, greedy }) => ({ prompt, greedy }));
  const text = textOf(folder);
  const ways = [
    { device: "wasm", level: 4 },
    { device: "webgpu", level: 0 },
    { device: "webgpu", level: 4 },
  ] as const;
  const rows: BenchRow[] = [];
  for (const { device, level } of ways) {
    const found = await onPage(
      (page) =>
        page.evaluate(
          ([f, options]) => window.decodeBench.engine.measureAccuracy(f, "onnx/model_q4.onnx", options),
          [servedFolder(folder), { device, level, text, cases }] as const,
        ),
      { folders: [folder], gpu },
    );
    const where = device === "wasm" ? "WebAssembly, any level" : `${deviceNames[gpu]}, level ${level}`;
    const own = rowsOf(where, found, cases);
    for (const row of own) console.error(JSON.stringify(row));
    rows.push(...own);
  }
  return rows;
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
  return tokenizer.encode(text).slice(0, textTokens + 1);
}

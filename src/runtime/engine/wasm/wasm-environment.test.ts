/** The environment of the installed build of the runtime, and the effect of the variable. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { largestDifference, someTokens } from "../../../core/decoder/ports/language-model.compare.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { parseModel } from "../onnx/codec.ts";
import { inspectGraph } from "../onnx/inspect.ts";
import { loadPlainRuntime } from "../ort/load-runtime.ts";
import { disableBlockedAttention, setEnvironmentVariable } from "./wasm-environment.ts";
import { createWasmRunner } from "./wasm-runner.ts";

const folder = "public/models/stories260k";
const read = (path: string) => readFileSync(`${folder}/${path}`);

test("a pass of eight tokens gives the very logits of eight passes", async () => {
  const config = JSON.parse(read("config.json").toString()) as Record<string, unknown>;
  const file = "onnx/model.onnx";
  const graph = new Uint8Array(read(file));
  const summary = inspectGraph(parseModel(graph));
  const options = { graph, externalData: new Map(), config, file, summary };
  const model = createDecoderModel(await createWasmRunner({ ...options, cacheRows: 256 }), {
    endOfSequence: [],
  });
  const tokens = someTokens(model.vocabularySize, 208);
  await model.forward(tokens.slice(0, 200));
  const singles: Float32Array[] = [];
  for (const token of tokens.slice(200)) singles.push(await model.forward([token]));
  model.truncate(200);
  const rows = await model.forward(tokens.slice(200), 8);
  const width = model.vocabularySize;
  for (const [row, single] of singles.entries())
    expect(largestDifference(rows.slice(row * width, (row + 1) * width), single)).toBe(0);
  await model.dispose();
});

test("the installed build has a place for one variable", async () => {
  const module = await (await loadPlainRuntime()).create(1);
  expect(disableBlockedAttention(module)).toBe(true);
  expect(setEnvironmentVariable(module, "OTHER", "1")).toBe(false);
});

describe("a heap that looks otherwise is left as it is", () => {
  const heap = (text: string, words: readonly number[]) => {
    const buffer = new ArrayBuffer(128);
    const [HEAPU8, HEAPU32] = [new Uint8Array(buffer), new Uint32Array(buffer)];
    HEAPU8.set(new TextEncoder().encode(text), 40);
    HEAPU32.set(words, 2);
    return { HEAPU8, HEAPU32, _malloc: () => 96 };
  };
  const texts = "USER=web_user\0LOGNAME=web_user\0";
  test.each([
    ["no such texts", "USER=somebody\0", [40, 54]],
    ["no list of addresses", texts, []],
    ["the number by chance, not in the list", texts, [54, 40]],
  ])("%s", (_, text, words) => {
    const module = heap(text, words);
    const was = module.HEAPU8.slice();
    expect(setEnvironmentVariable(module, "A", "1")).toBe(false);
    expect(module.HEAPU8).toEqual(was);
  });

  test("and one that looks right gets the variable in the list, wherever else the number stands", () => {
    const module = heap(texts, [54, 7, 40, 54]);
    expect(setEnvironmentVariable(module, "A", "1")).toBe(true);
    expect([...module.HEAPU32.slice(2, 6)]).toEqual([54, 7, 40, 96]);
    expect(new TextDecoder().decode(module.HEAPU8.slice(96, 100))).toBe("A=1\0");
  });
});

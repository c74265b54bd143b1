import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { languageModelConformance } from "../../../core/decoder/ports/language-model.conformance.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { createWasmRunner } from "../wasm/wasm-runner.ts";
import { createModel } from "./create-model.ts";
import type { CreateModelOptions } from "./created-model.ts";

const folder = join(import.meta.dirname, "../../../../public/models/stories260k");

function bundled(file: string): CreateModelOptions {
  return {
    graph: new Uint8Array(readFileSync(join(folder, file))),
    externalData: new Map(),
    config: JSON.parse(readFileSync(join(folder, "config.json"), "utf8")),
    endOfSequence: [2],
    device: "wasm",
    file,
  };
}

describe.each(["onnx/model.onnx", "onnx/model_q4.onnx"])("the bundled model, %s, on WebAssembly", (file) => {
  const checks = languageModelConformance(
    file,
    async ({ cacheRows }) => {
      const runner = await createWasmRunner({
        ...bundled(file),
        externalData: new Map(),
        embedTokens: undefined,
        summary: { cache: "shared-cache", rotaryNodes: [] },
        cacheRows,
      });
      return createDecoderModel(runner, { endOfSequence: [2] });
    },
    { tolerance: 1e-4 },
  );
  for (const { name, run } of checks) test(name, run);
});

test("the reason says what was chosen and what was done to the weights", async () => {
  const stages: string[] = [];
  const plain = await createModel({ ...bundled("onnx/model.onnx"), onStage: (stage) => stages.push(stage) });
  expect(plain).toMatchObject({ device: "wasm", reason: "The model runs on WebAssembly." });
  expect(stages).toEqual(["compile"]);
  const small = await createModel(bundled("onnx/model_q4.onnx"));
  expect(small.reason).toMatch(/quantized weights expanded to .* of float32/);
  await plain.model.dispose();
  await small.model.dispose();
});

test("without WebGPU, auto takes WebAssembly and says so, and webgpu fails with a way out", async () => {
  const chosen = await createModel({ ...bundled("onnx/model.onnx"), device: "auto" });
  expect(chosen.reason).toBe(
    "The model runs on WebAssembly, because WebGPU cannot be used: This browser has no WebGPU.",
  );
  await chosen.model.dispose();
  await expect(createModel({ ...bundled("onnx/model.onnx"), device: "webgpu" })).rejects.toThrow(
    "This browser has no WebGPU. Choose WebAssembly instead.",
  );
});

test("a damaged file is an error that names the fault, and does not spoil the next", async () => {
  const good = bundled("onnx/model.onnx");
  await expect(createModel({ ...good, graph: good.graph.slice(0, 5000) })).rejects.toThrow();
  const { model } = await createModel(good);
  expect((await model.forward([1])).every(Number.isFinite)).toBe(true);
  await model.dispose();
});

test("an aborted load rejects with the signal's reason", async () => {
  const reason = new Error("stop");
  const signal = AbortSignal.abort(reason);
  await expect(createModel({ ...bundled("onnx/model.onnx"), signal })).rejects.toBe(reason);
  const controller = new AbortController();
  const load = createModel({
    ...bundled("onnx/model.onnx"),
    signal: controller.signal,
    onStage: () => controller.abort(reason),
  });
  await expect(load).rejects.toBe(reason);
});

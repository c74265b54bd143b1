import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import { ModelDeadError } from "../../../core/decoder/ports/language-model.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { UnsupportedGraphError } from "../onnx/decoder-graph.ts";
import { loadTransformersLibrary } from "./library.ts";
import { createTransformersRunner } from "./transformers-runner.ts";
import { createWasmTensorRuntime } from "./wasm-tensors.ts";

const folder = join(import.meta.dirname, "../../../../public/models/stories260k");
const graph = new Uint8Array(readFileSync(join(folder, "onnx/model.onnx")));
const bundled = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as Record<string, unknown>;

async function open(config: Readonly<Record<string, unknown>>, bytes = graph): Promise<LanguageModel> {
  const graphs = [{ name: "model", graph: bytes, externalData: new Map() }];
  const runner = await createTransformersRunner(
    { graphs, config, file: "model.onnx" },
    await createWasmTensorRuntime(),
  );
  return createDecoderModel(runner, { endOfSequence: [2] });
}

test("models that do not go on with a text are refused with the reason", async () => {
  const encoderDecoder = open({ ...bundled, model_type: "t5", is_encoder_decoder: true });
  await expect(encoderDecoder).rejects.toThrow(UnsupportedGraphError);
  await expect(encoderDecoder).rejects.toThrow('A "t5" model has an encoder and a decoder');
  await expect(open({ ...bundled, model_type: "bert" })).rejects.toThrow(
    /has no "bert" model that writes text: this kind of model is for embeddings/,
  );
  await expect(open({ ...bundled, model_type: "constructor" })).rejects.toThrow(/has no "constructor" model/);
});

test("a file that the runtime refuses leaves the next one as it was", async () => {
  await expect(open(bundled, graph.slice(0, 5000))).rejects.toThrow();
  const model = await open(bundled);
  expect((await model.forward([1])).every(Number.isFinite)).toBe(true);
  await model.dispose();
});

test("a run that fails ends its model, and no other of the page", async () => {
  const other = await open(bundled);
  const before = await other.forward([1, 2, 3]);
  const tensors = await createWasmTensorRuntime();
  const opened = tensors.open.bind(tensors);
  tensors.open = async (...files) => {
    const session = await opened(...files);
    const run = session.run.bind(session);
    // The mask has another length than the text, so the runtime refuses the run.
    session.run = (feeds) =>
      feeds.input_ids?.dims[1] === 5
        ? run({ ...feeds, "past_key_values.0.key": tensors.zeros("float32", [1, 1, 1]) })
        : run(feeds);
    return session;
  };
  const graphs = [{ name: "model", graph, externalData: new Map() }];
  const runner = await createTransformersRunner({ graphs, config: bundled, file: "model.onnx" }, tensors);
  const failing = createDecoderModel(runner, { endOfSequence: [2] });
  await failing.forward([1, 2]);
  await expect(failing.forward([1, 2, 3, 4, 5])).rejects.toThrow(ModelDeadError);
  await expect(failing.forward([1])).rejects.toThrow(ModelDeadError);
  other.truncate(0);
  expect(await other.forward([1, 2, 3])).toEqual(before);
  const fresh = await open(bundled);
  expect(await fresh.forward([1, 2, 3])).toEqual(before);
  await Promise.all([other.dispose(), failing.dispose(), fresh.dispose()]);
});

test("the library is given this runtime, asks no other server, and leaves no trace of that", async () => {
  const { version } = await loadTransformersLibrary();
  expect(version).toBe("4.3.1");
  expect(Symbol.for("onnxruntime") in globalThis).toBe(false);
});

test("a second copy of this engine in the same process gets a copy of the library for its own runtime", async () => {
  await loadTransformersLibrary();
  vi.resetModules();
  const second = await import("./library.ts");
  expect(second.loadTransformersLibrary).not.toBe(loadTransformersLibrary);
  expect((await second.loadTransformersLibrary()).version).toBe("4.3.1");
});

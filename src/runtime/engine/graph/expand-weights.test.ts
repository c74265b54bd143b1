/** The form of the weights depends on the available memory, and the model works in each form. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWasmRunner } from "../wasm/wasm-runner.ts";
import { createDecoderModel } from "./decoder-model.ts";
import { expandWeights, mostFloatBytes } from "./expand-weights.ts";

const folder = join(import.meta.dirname, "../../../../public/models/stories260k");
const graph = new Uint8Array(readFileSync(join(folder, "onnx/model_q4.onnx")));
const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));

test.each([
  [undefined, 2.3],
  [8, 2.3],
  [4, 4 / 3],
  [0.5, 1 / 6],
])("a device of %s GiB has room for %s GiB of float32 weights", (memory, gibibytes) => {
  expect(mostFloatBytes(memory) / 2 ** 30).toBeCloseTo(gibibytes, 10);
});

async function answer(most?: number) {
  const { files, note } = await expandWeights({ graph, externalData: new Map() }, most);
  const summary = { cache: "shared-cache", rotaryNodes: [] } as const;
  const runner = await createWasmRunner({ ...files, config, file: "q4", summary, cacheRows: 64 });
  const model = createDecoderModel(runner, { endOfSequence: [2] });
  const logits = await model.forward([1, 403, 407, 261, 378]);
  await model.dispose();
  return { note, logits };
}

test("float32 where it fits, int8 where not, and both answer alike", async () => {
  const whole = await answer();
  expect(whole.note).toMatch(/^ with the quantized weights expanded to 932 kB of float32$/);
  const small = await answer(500_000);
  expect(small.note).toMatch(
    /^ with the 4-bit weights as \d+ kB of int8, because as float32 they would need more than the 500 kB/,
  );
  const largest = Math.max(...whole.logits);
  expect(small.logits.indexOf(Math.max(...small.logits))).toBe(whole.logits.indexOf(largest));
  const differences = small.logits.map((value, i) => Math.abs(value - (whole.logits[i] ?? 0)));
  expect(Math.max(...differences)).toBeLessThan(0.2);
  expect(Math.max(...differences)).toBeGreaterThan(0);
});

/** Compares the evaluation, which is the reference for devices, with the runtime on WebAssembly. */
import { expect, test } from "vitest";
import { someTokens } from "../../../../core/decoder/ports/language-model.compare.ts";
import { float16ToFloat32 } from "../../base/float16-arrays.ts";
import { createGraphEvaluator } from "./evaluate-graph.ts";
import { exportedGraphs, readGraph } from "./graphs.ts";
import { createRandomRounding, exactRounding, nearestFloat16 } from "./rounding.ts";
import { largestDifference, openGraph } from "./run-graph.ts";

const graphs = exportedGraphs().filter((path) => /model_q4(_split)?\.onnx$/.test(path));
if (graphs.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS", () => {});

test.each(graphs.map((path) => [path.split("/").slice(-3).join("/"), path]))(
  "%s in float64 is the runtime's on WebAssembly but for float32's rounding",
  async (_, path) => {
    const files = readGraph(path);
    const tokens = someTokens(2048, 40, 7);
    const found = createGraphEvaluator(files.model, files.external).run(tokens).get("logits");
    const graph = await openGraph(files);
    const logits = await graph.run(tokens);
    await graph.release();
    expect(largestDifference(Float32Array.from(found?.data ?? []), logits.slice(-2048))).toBeLessThan(2e-4);
  },
);

test("the nearest float16 is the number itself, and between two the nearer, subnormal numbers included", () => {
  for (let bits = 1; bits < 0x7bff; bits += 7) {
    const [value = 0, next = 0] = float16ToFloat32(Uint16Array.of(bits, bits + 1));
    expect(nearestFloat16(value)).toBe(value);
    expect(nearestFloat16(value + (next - value) * 0.4)).toBe(value);
    expect(nearestFloat16(-value - (next - value) * 0.6)).toBe(-next);
  }
});

test("random rounding is right in the mean, and off by no more than two steps", () => {
  const rounding = createRandomRounding(1, true);
  const value = 1 + 2 ** -12;
  const rounded = Array.from({ length: 4000 }, () => rounding.number(value));
  const mean = rounded.reduce((sum, x) => sum + x, 0) / rounded.length;
  expect(Math.abs(mean - value)).toBeLessThan(2 ** -14);
  for (const x of rounded) expect(Math.abs(x - value)).toBeLessThan(2 ** -9);
  expect(new Set(rounded.map(nearestFloat16))).toEqual(new Set(rounded));
  const whole = Array.from({ length: 400 }, () => rounding.integer(-3.25));
  expect(new Set(whole)).toEqual(new Set([-4, -3]));
  expect(exactRounding.number(value)).toBe(value);
});

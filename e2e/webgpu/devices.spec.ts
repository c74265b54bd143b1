/** The choice of a device, and devices that compute wrong or are lost. */
import { expect, test } from "@playwright/test";
import type { GraphAddress } from "./graph-files.ts";
import { bundledGraphs, exported, type ServedGraph } from "./graphs.ts";
import { onEnginePage } from "./on-engine-page.ts";

const asking = onEnginePage();
const model = bundledGraphs.find(({ quantized }) => !quantized) as ServedGraph;
/** For tests that do not depend on how wrong a device computes. */
const shortened: GraphAddress = { ...model.address, layers: 2 };

/** Where subgroups are wide and wrong, a second device is made and checked. */
const stagesOf = {
  right: ["compile", "check"],
  narrow: ["compile", "check"],
  wrong: ["compile", "check", "compile", "check"],
};
const reasons = {
  right: /^The model runs on WebGPU\. Midtoken tested this adapter: reading 40 tokens in one pass gives/,
  narrow:
    /^The model runs on WebGPU without subgroups, because this adapter's subgroups have a width of [1-7],/,
  wrong: /^The model runs on WebGPU without subgroups, because with subgroups long passes give wrong results/,
};

test("without WebGPU the model runs on WebAssembly, which the reason says", async () => {
  const wasm = await asking((page) => page.evaluate((a) => window.engine.choose(a, "wasm"), model.address));
  expect(wasm).toMatchObject({ device: "wasm", reason: "The model runs on WebAssembly." });
});

test("a float16 graph runs where the adapter has shader-f16, and else goes to WebAssembly, with the reason", async () => {
  const half = exported.find(({ name }) => name === "tiny-llama/model_q4f16");
  test.skip(!half, "no MIDTOKEN_MODELS");
  if (!half) return;
  const { float16 } = await asking((page) => page.evaluate(() => window.engine.adapter()));
  const chosen = await asking((page) => page.evaluate((a) => window.engine.choose(a, "auto"), half.address));
  if (float16) {
    expect(chosen.device).toBe("webgpu");
    expect(chosen.reason).not.toContain("shader-f16");
  } else {
    expect(chosen).toMatchObject({ device: "wasm", stages: ["compile"] });
    expect(chosen.reason).toContain("shader-f16");
  }
});

test("a device that computes long passes wrong is found out: without subgroups, else in short passes", async () => {
  const { subgroups } = await asking((page) => page.evaluate(() => window.engine.adapter()));
  const isRight = subgroups === "right";
  const second = await asking((page) =>
    page.evaluate((a) => window.engine.chooseAmong(a, [true, false]), model.address),
  );
  expect(second.reason).toMatch(isRight ? reasons.right : reasons.wrong);
  expect(second.difference).toBeLessThan(1e-3);
  const short = await asking((page) =>
    page.evaluate((a) => window.engine.chooseAmong(a, [true]), model.address),
  );
  expect(short.reason).toMatch(isRight ? reasons.right : /at most 31 tokens per pass/);
  if (isRight) expect(short.passTokens).toBeGreaterThan(31);
  else expect(short.passTokens).toBe(31);
  expect(short.difference).toBeLessThan(1e-3);
});

/** A clear end for the pass, for the next pass and for a cut; the same bytes work again. */
async function loseDevice(address: GraphAddress, during: boolean) {
  const result = await asking((page) =>
    page.evaluate(([a, d]) => window.engine.deviceLost(a, d), [address, during] as const),
  );
  for (const { name, message } of [result.lost, result.after, result.truncate]) {
    expect(name).toBe("ModelDeadError");
    expect(message).toContain("device was lost");
  }
  expect(result.difference).toBeLessThan(1e-5);
  return result;
}

test("the choice is checked and explained: with the adapter's subgroups where they are 8 wide or wider and compute right; then the device is lost before a pass", async () => {
  const { subgroups } = await asking((page) => page.evaluate(() => window.engine.adapter()));
  const { chosen } = await loseDevice(model.address, false);
  expect(chosen).toMatchObject({ device: "webgpu", stages: stagesOf[subgroups] });
  expect("reason" in chosen && chosen.reason).toMatch(reasons[subgroups]);
});

test("device lost during a pass: a clear end, and the same bytes work again", async () => {
  await loseDevice(shortened, true);
});

test("a device that is lost while it is checked leaves nothing behind", async () => {
  const { message, given } = await asking((page) =>
    page.evaluate((a) => window.engine.deviceLostInCheck(a), shortened),
  );
  expect(message).toContain("device was lost");
  expect(given.devices).toBe(1);
  expect(given.buffers).toBeGreaterThan(0);
});

test("a run that fails leaves a dead model, and the next model lives", async () => {
  const { first, second, finite } = await asking((page) =>
    page.evaluate((a) => window.engine.failedRun(a), shortened),
  );
  expect(first.name).toBe("ModelDeadError");
  expect(first.cause).not.toBe("undefined");
  expect(second).toMatchObject({ name: "ModelDeadError", message: first.message });
  expect(finite).toBe(true);
});

test("calls at once, on one model and on two, are computed one after the other", async () => {
  const { difference, lengths } = await asking((page) =>
    page.evaluate((a) => window.engine.concurrent(a), shortened),
  );
  expect(difference).toBeLessThan(1e-5);
  expect(lengths).toEqual([6, 6]);
});

test("nothing was asked of another origin", async () => {
  expect(await asking((page) => page.evaluate(() => window.engine.foreignRequests()))).toEqual([]);
});

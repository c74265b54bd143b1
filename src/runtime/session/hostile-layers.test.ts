/** Mods that try to break a session by steering and patching; the whole session with the bundled model. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { type ModelHub, startModelHub } from "../engine/testing/model-hub.ts";
import {
  bundledModelRepositories,
  type LayeredSession,
  openLayeredSession,
} from "./testing/layered-session.ts";

let hub: ModelHub;
let layered: LayeredSession;
beforeAll(async () => {
  hub = await startModelHub(bundledModelRepositories);
});
afterAll(() => hub?.close());
beforeEach(async () => {
  layered = openLayeredSession(hub);
  await layered.load();
});
afterEach(() => layered.session.dispose());

const modOf = (options: string, handlers: string) =>
  `import { mod } from "midtoken/mod";\nexport default mod({ ${options}, ${handlers} });`;
const plainText = ", there was a little girl named Lily. She";

/** The most likely tokens of a pass, with their probabilities. */
function passAt(records: readonly TraceRecord[], step: number) {
  const pass = records.find(
    (record) => record.type === "forwardPass" && record.before && record.step === step,
  );
  if (pass?.type !== "forwardPass") throw new Error(`There is no pass of step ${step}.`);
  return pass.before?.top.map(({ token, logprob }) => [token, Number(logprob.toFixed(3))]);
}

const steers = modOf(
  "layers: [2]",
  `prefilled: (event, actions) =>
    actions.steer({ layer: 2, vector: new Float32Array(event.hiddenSize).fill(1), scale: 3 })`,
);

describe("what was steered stays steered", () => {
  test("a branch without mods goes on after what was computed under the steering of its time", async () => {
    const first = layered.start([steers]);
    await first.ended;
    const { records } = first;
    const at = records.findIndex((record) => record.type === "forwardPass" && record.step === 6);
    const goOn = async () => {
      const branch = layered.start([], { branchPoint: { records, at, token: null, follows: [] } });
      const { finished } = await branch.ended;
      expect(finished.error).toBe(null);
      return passAt(branch.records, 6);
    };
    const onOpened = await goOn();
    // Closes the model's layers, like a reload of the page.
    layered.session.dispose();
    layered = openLayeredSession(hub);
    await layered.load();
    expect(await goOn()).toEqual(onOpened);
  });
});

const huge = "new Float32Array(event.hiddenSize).fill(3.4e38)";

describe.each([
  ["alone", "layers: 'all'"],
  ["with a lens", "layers: 'all', lens: 'all'"],
  ["with hidden states", "layers: 'all'"],
])("numbers as large as there are, %s", (name, options) => {
  const read = name === "with hidden states" ? "event.hiddenState(0);" : "";
  const lens = name === "with a lens" ? "event.lens(4, 3);" : "";
  const attacks: [string, string][] = [
    [
      "behind every layer",
      `prefilled: (event, actions) => actions.steer(
        Array.from({ length: event.layerCount }, (_, layer) => ({ layer, vector: ${huge} }))),
       forwardPass(event) { ${read} ${lens} }`,
    ],
    [
      "patched in, at every event",
      `forwardPass(event, actions) { ${read} ${lens} return actions.patch({ layer: 1, vector: ${huge} }); },
       sampled: (event, actions) => actions.patch({ layer: 3, vector: new Float32Array(64).fill(-3.4e38) })`,
    ],
    [
      "of alternating sign",
      `prefilled: (event, actions) => actions.steer({ layer: 1,
          vector: Float32Array.from({ length: event.hiddenSize }, (_, i) => (i % 2 ? 3e38 : -3e38)) }),
       forwardPass(event) { ${read} ${lens} }`,
    ],
  ];
  test.each(attacks)(
    "%s: an answer or a sentence that says what to do, and the next request as ever",
    async (_, handlers) => {
      const { finished } = await layered.start([modOf(options, handlers)], { onModError: "stop" }).ended;
      if (finished.error) expect(finished.error.message).toMatch(/smaller|steer less/);
      expect(layered.gone()).toBe(0);
      const next = await layered.start([]).ended;
      expect(next.finished).toMatchObject({ error: null, text: plainText });
    },
  );
});

test("a lens over a layer whose numbers are beyond all, where a patch makes the end finite again", async () => {
  const source = modOf(
    "layers: 'all', lens: 'all'",
    `prefilled: (event, actions) => actions.steer(
       [0, 1].map((layer) => ({ layer, vector: ${huge} }))),
     forwardPass: (event, actions) => actions.patch({ layer: 4, vector: new Float32Array(64).fill(0.5) }),`,
  );
  const patchesPrompt = modOf(
    "layers: 'all'",
    "prefilled: (event, actions) => actions.patch({ layer: 4, vector: new Float32Array(64).fill(0.5) })",
  );
  const { finished } = await layered.start([source, patchesPrompt], { onModError: "stop" }).ended;
  if (finished.error) expect(finished.error.message).toMatch(/smaller|steer less/);
  const next = await layered.start([]).ended;
  expect(next.finished).toMatchObject({ error: null, text: plainText });
});

test("as many vectors as there may be at every event: the record stays small", async () => {
  const many = (count: number) =>
    `actions.steer(Array.from({ length: ${count} }, (_, i) => ({ layer: i % 5, vector: new Float32Array(64).fill(0.001 * i) })))`;
  const source = (count: number) =>
    modOf(
      "layers: 'all'",
      ["prefilled", "forwardPass", "sampled", "added"]
        .map((event) => `${event}: (event, actions) => ${many(count)}`)
        .join(",\n"),
    );
  const started = layered.start([source(256)], { maxTokens: 20 });
  const { finished } = await started.ended;
  expect(finished.error).toBe(null);
  const bytes = JSON.stringify(started.records).length;
  expect(bytes / finished.usage.completionTokens).toBeLessThan(100_000);
  const tooMany = await layered.start([source(1025)]).ended;
  expect(tooMany.finished.error?.message).toMatch(/give at most/);
});

test("two mods whose vectors are finite only together: one is stopped, and the request ends or goes on", async () => {
  const up = modOf(
    "layers: [0]",
    `prefilled: (event, actions) => actions.steer({ layer: 0, vector: ${huge} })`,
  );
  const down = modOf(
    "layers: [0]",
    `prefilled: (event, actions) => actions.steer({ layer: 0, vector: ${huge}, scale: -1 }),
     forwardPass(event) { if (event.step === 2) throw new Error("I fail."); }`,
  );
  const { finished } = await layered.start([up, down, up], { onModError: "continue" }).ended;
  if (finished.error) expect(finished.error.message).toMatch(/smaller/);
  const next = await layered.start([]).ended;
  expect(next.finished).toMatchObject({ error: null, text: plainText });
});

test("a subclass of Float32Array that lies about its length and numbers", async () => {
  const lying = `class Lying extends Float32Array {
    get length() { return 64; }
    findIndex() { return -1; }
    slice() { return new Float32Array(3).fill(NaN); }
    *[Symbol.iterator]() { yield NaN; }
  }`;
  const source = `import { mod } from "midtoken/mod";\n${lying}
export default mod({ layers: [1], prefilled: (event, actions) => actions.steer({ layer: 1, vector: new Lying(5) }) });`;
  const { finished } = await layered.start([source]).ended;
  expect(finished.error?.message).toMatch(/vector/);
  const next = await layered.start([]).ended;
  expect(next.finished).toMatchObject({ error: null, text: plainText });
});

test("vectors that are written into after they were returned, or between two answers", async () => {
  const source = (spoils: boolean) => `import { mod } from "midtoken/mod";
const vector = new Float32Array(64).fill(1);
let action = null;
export default mod({ layers: [2],
  prefilled(event, actions) {
    action = actions.steer({ layer: 2, vector, scale: 3 });
    ${spoils ? "Promise.resolve().then(() => vector.fill(9));" : ""}
    return action;
  },
  forwardPass(event) { ${spoils ? "vector.fill(7); action.vectors[0].vector.fill(7);" : ""} } });`;
  const { finished: fair } = await layered.start([source(false)]).ended;
  const { finished } = await layered.start([source(true)]).ended;
  expect(finished).toMatchObject({ error: null, text: fair.text });
});

/** The session in a real browser: worker, sandbox, model and loop together. On WebGPU: `webgpu/session.spec.ts`. */
import { expect, type Page } from "@playwright/test";
import { modelsFolder } from "../../scripts/models-folder.ts";
import { defaultSampling } from "../../src/core/sdk/request.ts";
import { type EndlessKind, endlessModel } from "../../src/runtime/engine/testing/endless-models.ts";
import { defaultDeadlines } from "../../src/runtime/sandbox/deadlines.ts";
import { testsOnOnePage } from "../shared-page.ts";
import { layeredRequests } from "./layered-requests.ts";
import { sandboxProcesses } from "./sandbox-process.ts";
import { scoredRequests } from "./scored-requests.ts";

const test = testsOnOnePage("/e2e/session/session.html", "midtoken");

const story =
  ", there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball.";

const renames = `import { mod } from "midtoken/mod";
export default mod({ sampled(event, actions) { if (event.text === " Lily") return actions.forceTokens(" Zoe"); } });`;
const loops = `import { mod } from "midtoken/mod";
export default mod({ added(event) { if (event.step > 5) for (;;) {} } });`;
const throws = `import { mod } from "midtoken/mod";

export default mod({
  added(event: { step: number }) {
    if (event.step === 3) throw new Error("no more");
  },
});`;
const random = `import { mod } from "midtoken/mod";
let calls = 0;
export default mod({ forwardPass(event, actions) {
  console.log(++calls, Math.random(), Date.now());
  if (Math.random() < 0.3) return actions.forceTokens([event.topK(5)[Math.floor(Math.random() * 5)].token]);
} });`;

const load = (page: Page) => page.evaluate(() => window.midtoken.load("wasm"));

const run = (
  page: Page,
  sources: readonly string[] = [],
  changes: Record<string, unknown> = {},
  when: { stopAfter?: number; loseAfter?: number; pauseAfter?: number } = {},
) =>
  page.evaluate(([mods, more, action]) => window.midtoken.run(mods, more, action), [
    sources.map((source, index) => ({ name: `mod-${index + 1}`, source })),
    changes,
    when,
  ] as const);

test("the bundled model tells its story on WebAssembly", async ({ page }) => {
  const model = await load(page);
  expect(model.device).toBe("wasm");
  expect(model.reason).not.toBe("");
  expect((await run(page)).text).toBe(story);
});

test("a mod changes the story, and the trace says which and where", async ({ page }) => {
  await load(page);
  const { text, records } = await run(page, [renames]);
  expect(text).toContain("a little girl named Zoe.");
  const call = records.find((record) => record.type === "modCall" && record.action.type === "forceTokens");
  expect(call).toMatchObject({ mod: 0, event: "sampled", line: 2, fault: null, superseded: false });
});

test("a mod reads layers, which are opened for it, and another one steers them", async ({ page }) => {
  await layeredRequests(page, "wasm");
});

test("a mod that never answers is stopped; the next request works without a reload", async ({ page }) => {
  await load(page);
  const looped = await run(page, [loops]);
  expect(looped.reason).toBe("error");
  expect(looped.records.find((record) => record.type === "modCall" && record.fault !== null)).toMatchObject({
    fault: { kind: "timeout" },
  });
  expect((await run(page, [renames])).text).toContain("Zoe");
  const continued = await run(page, [loops], { onModError: "continue" });
  expect(continued.text).toBe(story);
});

test("a mod whose process gets no processor time for longer than its deadline is not stopped", async ({
  page,
}) => {
  await load(page);
  const shown = () => page.evaluate(() => window.midtoken.shown());
  // The run waits after its first token until the sandbox's process stands still.
  const outcome = run(page, [renames], {}, { pauseAfter: 1 });
  await expect.poll(shown).toBe(1);
  const processes = await sandboxProcesses(page);
  expect(processes).toHaveLength(1);
  for (const id of processes) process.kill(id, "SIGSTOP");
  try {
    await page.evaluate(() => window.midtoken.current()?.resume());
    await page.waitForTimeout(3 * defaultDeadlines.event);
  } finally {
    for (const id of processes) process.kill(id, "SIGCONT");
  }
  expect(await outcome).toMatchObject({
    error: null,
    text: expect.stringContaining("a little girl named Zoe."),
  });
});

test("a mod that throws is told on its line", async ({ page }) => {
  await load(page);
  const { reason, records } = await run(page, [throws]);
  expect(reason).toBe("error");
  expect(records.find((record) => record.type === "modCall" && record.fault !== null)).toMatchObject({
    fault: { kind: "threw", message: "Error: no more", line: 5 },
  });
});

test("a mod that does not compile keeps the request from starting, and says why", async ({ page }) => {
  await load(page);
  const { failure, records } = await run(page, ["export default ("]);
  expect(failure).toContain("mod-1, line 1");
  expect(records).toEqual([]);
});

test("same seed, same trace, chance in the mod included", async ({ page }) => {
  await load(page);
  const settings = { sampling: defaultSampling, seed: 7 };
  const traces = [];
  for (let count = 0; count < 3; count++)
    traces.push(withoutTimes((await run(page, [random], settings)).records));
  expect(traces[0]?.length).toBeGreaterThan(80);
  expect(traces[1]).toEqual(traces[2]);
  expect(traces[0]?.filter(isAdded)).toEqual(traces[1]?.filter(isAdded));
  const other = withoutTimes((await run(page, [random], { ...settings, seed: 8 })).records);
  expect(other.filter(isAdded)).not.toEqual(traces[1]?.filter(isAdded));
});

test("stop ends a request with what there is", async ({ page }) => {
  await load(page);
  const { reason, text } = await run(page, [], { maxTokens: 400 }, { stopAfter: 5 });
  expect(reason).toBe("cancelled");
  expect(text.length).toBeGreaterThan(5);
  expect((await run(page)).text).toBe(story);
});

test("stop is heard while a long prompt is read on WebAssembly: one more pass at most", async ({ page }) => {
  test.skip(!modelsFolder(), "no MIDTOKEN_MODELS");
  test.setTimeout(300_000);
  await page.evaluate(() => window.midtoken.load("wasm", "/shared-models/smollm2-135m-instruct/", "int8"));
  const stopped = await page.evaluate(() =>
    window.midtoken.stopWhileReading("The cat sat on the mat. ".repeat(290)),
  );
  expect(stopped.promptTokens).toBeGreaterThan(2000);
  expect(stopped.reason).toBe("cancelled");
  expect(stopped.passes - stopped.before).toBeLessThanOrEqual(1);
});

test("as many sandboxes stand ready as the last request had mods", async ({ page }) => {
  await load(page);
  await run(page, [renames, renames, renames]);
  await expect.poll(() => page.evaluate(() => window.midtoken.sandboxes())).toBe(3);
  await run(page, [renames]);
  // A spare that is removed before it has started must not hold up the next one: a start is waited for 20 s.
  await expect.poll(() => page.evaluate(() => window.midtoken.sandboxes())).toBe(1);
});

test("a request chooses the export that runs, and how long it may take", async ({ page }) => {
  await load(page);
  const source = `${renames}
export const slow = mod({ added() { for (let end = 0; end < 1e9; end++); } });`;
  const outcome = await page.evaluate(
    (text) =>
      window.midtoken.run([{ name: "two", source: text, entry: "slow" }], { deadlines: { event: 20 } }),
    source,
  );
  expect(outcome.error).toContain("did not reply to “added” within 20 ms");
});

test("pause holds, a step passes one token, resume goes on", async ({ page }) => {
  await load(page);
  const shown = () => page.evaluate(() => window.midtoken.shown());
  const pauses = () => page.evaluate(() => window.midtoken.pauses());
  const outcome = run(page, [], { maxTokens: 40 }, { pauseAfter: 1 });
  await expect.poll(pauses).toBe(1);
  const held = await shown();
  expect(held).toBe(1);
  await page.waitForTimeout(300);
  expect(await shown()).toBe(held);
  await page.evaluate(() => window.midtoken.current()?.stepOnce());
  await expect.poll(pauses).toBe(2);
  expect(await shown()).toBe(held + 1);
  await page.waitForTimeout(300);
  expect(await shown()).toBe(held + 1);
  await page.evaluate(() => window.midtoken.current()?.resume());
  expect(["length", "stop"]).toContain((await outcome).reason);
});

test("the prompt can be seen as the model sees it", async ({ page }) => {
  await load(page);
  const tokens = await page.evaluate(() => window.midtoken.tokenize());
  expect(tokens.map(({ token }) => token)).toEqual([1, 403, 407, 261, 378]);
});

/** Serves a folder in which some piece of work never ends, at an address of its own. */
async function serveEndless(page: Page, kind: EndlessKind): Promise<string> {
  const folder = `/models/${kind.replaceAll(" ", "-")}/`;
  const files = endlessModel(kind);
  await page.route(`**${folder}**`, (route) => {
    const body = files.get(new URL(route.request().url()).pathname.slice(folder.length));
    return body ? route.fulfill({ body: Buffer.from(body) }) : route.fulfill({ status: 404 });
  });
  return folder;
}

/** Waits until tokens came and no more came for three seconds: a pass of this model takes a few milliseconds. */
async function untilNoTokensCome(page: Page): Promise<void> {
  let before = 0;
  const hasStalled = async () => {
    const shown = await page.evaluate(() => window.midtoken.shown());
    const stalled = shown > 0 && shown === before;
    before = shown;
    return stalled;
  };
  await expect.poll(hasStalled, { intervals: [3_000] }).toBe(true);
}

for (const kind of ["template at the prompt", "tokenizer at the prompt", "graph in a pass"] as const) {
  test(`stop ends a request in endless work, and the next model works: ${kind}`, async ({ page }) => {
    const folder = await serveEndless(page, kind);
    await page.evaluate((path) => window.midtoken.load("wasm", path), folder);
    const stopped = run(page, [], { maxTokens: 400 });
    if (kind === "graph in a pass") await untilNoTokensCome(page);
    else await expect.poll(() => page.evaluate(() => window.midtoken.isPrompting())).toBe(true);
    await page.evaluate(() => window.midtoken.current()?.stop());
    const { failure, records } = await stopped;
    expect(failure).toBe("The request was stopped, and the engine was restarted to end it.");
    expect(records.length > 0).toBe(kind === "graph in a pass");
    await load(page);
    expect((await run(page)).text).toBe(story);
  });
}

for (const kind of ["template at load", "tokenizer at load", "graph at load"] as const) {
  test(`a load in endless work is cancelled, and another model works: ${kind}`, async ({ page }) => {
    const folder = await serveEndless(page, kind);
    const error = await page.evaluate((path) => window.midtoken.cancelLoad(path, 3_000), folder);
    expect(error).toBe("AbortError");
    await load(page);
    expect((await run(page)).text).toBe(story);
  });
}

test("a flow reads the probability of each option", async ({ page }) => {
  await scoredRequests(page, "wasm");
});

type AnyRecord = Readonly<Record<string, unknown>>;
const isAdded = (record: AnyRecord) => record.type === "added";

/** Records without what differs from run to run by nature: times, the request's own id. */
function withoutTimes(records: readonly object[]): AnyRecord[] {
  return records.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => !/Us$|^createdAt$|^requestId$/.test(key))),
  );
}

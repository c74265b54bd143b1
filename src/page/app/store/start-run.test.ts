/** A failed start shows its reason once and leaves the last run in view. The reason goes away once it is mended. */
import { expect, test, vi } from "vitest";
import { ProgramPartError } from "../../../core/base/import-part.ts";
import { separateBanningMod } from "../../../core/sdk/banned-strings.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import type { RunHandle, Session } from "../../../runtime/session/page-side/session.ts";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { clearStartFailureOnChange } from "./mended-failures.ts";
import { startRun } from "./start-run.ts";
import type { Stores } from "./stores.ts";
import { createTestRunHandle } from "./testing/run-handle.ts";
import { createTestCatalogEntry, createTestStores } from "./testing/test-stores.ts";

const loaded = { id: "a", device: "wasm" } as LoadedModel;
const { records } = sampleTrace({ tokens: 20 });

// Records are gathered until the next frame, or a moment where the page is hidden.
vi.stubGlobal("document", { hidden: true });

/** A run that is over at once. */
function ranAt(onRecords: (more: readonly TraceRecord[]) => void): RunHandle {
  onRecords(records);
  return createTestRunHandle(Promise.resolve());
}

/** Stores with a run on the page. `load` decides how loading the model goes. */
function storesWith(
  load: (signal: AbortSignal) => Promise<LoadedModel>,
  changes: Partial<Session> = {},
  mods: readonly string[] = [],
): Stores {
  const session: Partial<Session> = {
    loadModel: (_model, _device, { signal }) => load(signal),
    run: (_request, onRecords) => ranAt(onRecords),
    ...changes,
  };
  const first = { mods: mods.map((name) => ({ name, source: name, enabled: true })) };
  const stores = createTestStores({
    session,
    models: [createTestCatalogEntry("a"), createTestCatalogEntry("b")],
    first,
  });
  clearStartFailureOnChange(stores);
  return stores;
}

async function runToEnd(stores: Stores): Promise<void> {
  await startRun(stores);
  await new Promise((resolve) => setTimeout(resolve));
}

const shown = ({ run }: Stores) => {
  const { status, startFailure, failure, trace } = run.getState();
  return { status, startFailure, failure, tokens: trace.tokens.text.length > 0 };
};
const lastRun = { status: "finished", startFailure: null, failure: null, tokens: true };

test("a schema that is no JSON, then one that is", async () => {
  const stores = storesWith(async () => loaded);
  await runToEnd(stores);
  expect(shown(stores)).toEqual(lastRun);
  stores.settings.getState().changeAnswer({ format: "schema", schema: "{" });
  await startRun(stores);
  expect(shown(stores)).toEqual({ ...lastRun, startFailure: expect.stringContaining("schema") });
  stores.settings.getState().changeAnswer({ schema: "{}" });
  expect(shown(stores)).toEqual(lastRun);
});

test("a model that does not load, then another one", async () => {
  let isBroken = false;
  const stores = storesWith(async () => {
    if (isBroken) throw new Error("404");
    return loaded;
  });
  await runToEnd(stores);
  isBroken = true;
  stores.model.getState().choose(createTestCatalogEntry("b").reference);
  await startRun(stores);
  expect(shown(stores)).toEqual({ ...lastRun, startFailure: "404" });
  stores.model.getState().choose(createTestCatalogEntry("a").reference);
  expect(shown(stores)).toEqual(lastRun);
});

test("loading that was cancelled is no failure", async () => {
  const stores = storesWith(
    (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
      }),
  );
  const started = startRun(stores);
  await new Promise((resolve) => setTimeout(resolve));
  stores.model.getState().cancel();
  await started;
  expect(shown(stores)).toEqual({ status: "empty", startFailure: null, failure: null, tokens: false });
});

test.each([
  ["the user's", true],
  ["the page's", false],
])(
  "another model that is chosen while %s first choice loads is loaded, and the run starts on it",
  async (_whose, isOwn) => {
    const asked: string[] = [];
    const stores = storesWith(async () => loaded, {
      loadModel: ({ id }, _device, { signal }) => {
        asked.push(id);
        if (id === "b") return Promise.resolve(loaded);
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
        });
      },
    });
    if (isOwn) stores.model.getState().choose(createTestCatalogEntry("a").reference);
    const started = runToEnd(stores);
    await vi.waitFor(() => expect(asked).toEqual(["a"]));
    stores.model.getState().choose(createTestCatalogEntry("b").reference);
    await started;
    expect(asked).toEqual(["a", "b"]);
    expect(shown(stores)).toEqual(lastRun);
  },
);

test("a mod that is given up is named with the reason; the mods after it wait for the next run", async () => {
  const asked: string[] = [];
  const compileProblems: Session["compileProblems"] = async (source) => {
    asked.push(source);
    const message = "Compiling the mod took longer than 1.5 s.";
    return source === "slow" ? [{ message, line: null, column: null }] : [];
  };
  const stores = storesWith(async () => loaded, { compileProblems }, ["fine", "slow", "last"]);
  await startRun(stores);
  expect(stores.run.getState().startFailure).toBe(
    "slow does not compile: Compiling the mod took longer than 1.5 s.",
  );
  expect(asked).toEqual(["fine", "slow"]);
  expect(stores.problems.getState().problems).toMatchObject([{ mod: "first-slow", line: null }]);
});

test("a long compilation is shown, and a stop ends it and the run", async () => {
  vi.useFakeTimers();
  const signals: (AbortSignal | undefined)[] = [];
  const compileProblems: Session["compileProblems"] = (_source, signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
  const stores = storesWith(async () => loaded, { compileProblems }, ["slow"]);
  const started = startRun(stores);
  await vi.advanceTimersByTimeAsync(299);
  expect(stores.run.getState().compiling).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(stores.run.getState()).toMatchObject({ status: "starting", compiling: "slow" });
  stores.run.getState().stop();
  await started;
  vi.useRealTimers();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  expect(stores.run.getState()).toMatchObject({ status: "empty", compiling: null, startFailure: null });
});

test("a compiler that cannot be fetched is said with what to do", async () => {
  let isThere = false;
  const compileProblems: Session["compileProblems"] = async () => {
    if (!isThere) throw new ProgramPartError("The mod compiler could not be fetched.");
    return [];
  };
  const stores = storesWith(async () => loaded, { compileProblems }, ["a"]);
  await startRun(stores);
  expect(stores.run.getState().startFailure).toMatch(/could not be fetched\. .* press Run again/);
  expect(stores.problems.getState().missingCompiler).toBeInstanceOf(ProgramPartError);
  isThere = true;
  await runToEnd(stores);
  expect(shown(stores)).toEqual(lastRun);
  expect(stores.problems.getState().missingCompiler).toBeNull();
});

test("a compiler that came after all is no reason any more", async () => {
  const compileProblems: Session["compileProblems"] = async () => {
    throw new ProgramPartError("The mod compiler could not be fetched.");
  };
  const stores = storesWith(async () => loaded, { compileProblems }, ["a"]);
  await startRun(stores);
  stores.problems.getState().reportCompiler(null);
  expect(stores.run.getState().startFailure).toBeNull();
});

test("a model that is ready later takes away no other reason", async () => {
  const compileProblems: Session["compileProblems"] = async () => {
    throw new ProgramPartError("The mod compiler could not be fetched.");
  };
  let answer = (_: LoadedModel): void => undefined;
  const model = new Promise<LoadedModel>((resolve) => (answer = resolve));
  const stores = storesWith(() => model, { compileProblems }, ["a"]);
  await startRun(stores);
  answer(loaded);
  await vi.waitFor(() => expect(stores.model.getState().status.type).toBe("ready"));
  expect(stores.run.getState().startFailure).toContain("could not be fetched");
});

test("the page's own first choice of a model takes away no reason, the user's does", () => {
  const { run, model } = storesWith(async () => loaded);
  run.getState().fail("The mod compiler could not be fetched.");
  model.getState().choose(createTestCatalogEntry("a").reference);
  expect(run.getState().startFailure).not.toBeNull();
  model.getState().choose(createTestCatalogEntry("b").reference);
  expect(run.getState().startFailure).toBeNull();
});

test("banned texts run as a mod after the user's own", async () => {
  const asked: RunRequest["mods"][] = [];
  const run: Session["run"] = (request, onRecords) => {
    asked.push(request.mods);
    return ranAt(onRecords);
  };
  const stores = storesWith(async () => loaded, { run, compileProblems: async () => [] }, ["own"]);
  await runToEnd(stores);
  stores.settings.getState().change({ bannedStrings: ["big dog"] });
  await runToEnd(stores);
  expect(asked.map((mods) => mods.map(({ name }) => name))).toEqual([["own"], ["own", "banned_strings"]]);
  expect(separateBanningMod(asked[1] ?? []).phrases).toEqual(["big dog"]);
});

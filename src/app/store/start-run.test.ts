/** What keeps a run from starting is said once, leaves the last run where it is, and is gone once it is mended. */
import { expect, test, vi } from "vitest";
import type { RunHandle, Session } from "../../session/client.ts";
import type { LoadedModel } from "../../session/protocol.ts";
import { sampleTrace } from "../../trace/testing/sample-trace.ts";
import { watchMendedFailures } from "./mended-failures.ts";
import { startRun } from "./start-run.ts";
import type { Stores } from "./stores.ts";
import { catalogEntry, testStores } from "./testing/test-stores.ts";

const loaded = { id: "a", device: "wasm" } as LoadedModel;
const { records } = sampleTrace({ tokens: 20 });

// Records are gathered until the next frame, or a moment where the page is hidden.
vi.stubGlobal("document", { hidden: true });

/** Stores with a run on the page. `load` decides how loading the model goes. */
function storesWith(load: (signal: AbortSignal) => Promise<LoadedModel>): Stores {
  const session: Partial<Session> = {
    loadModel: (_model, _device, { signal }) => load(signal),
    run: (_request, onRecords): RunHandle => {
      onRecords(records);
      return { done: Promise.resolve(), stop() {}, pause() {}, resume() {}, stepOnce() {} };
    },
  };
  const stores = testStores({ session, models: [catalogEntry("a"), catalogEntry("b")] });
  watchMendedFailures(stores);
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
  stores.model.getState().choose(catalogEntry("b").reference);
  await startRun(stores);
  expect(shown(stores)).toEqual({ ...lastRun, startFailure: "404" });
  stores.model.getState().choose(catalogEntry("a").reference);
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

/** Imports of runs and experiments ask for room before anything changes. */
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { experimentToJson } from "../../experiments/experiment-file.ts";
import { twoByTwo } from "../../experiments/testing/small-experiment.ts";
import { createRunRepository, type RunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { readStorageSpace, storageSpaceProblem } from "../../runs/storage-room.ts";
import { importExperimentText } from "../experiments/experiment-actions.ts";
import { createImportedRunFields } from "../store/shown-run.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { importWorkspace } from "./open-workspace.ts";
import { createWorkspaceFile } from "./save-workspace.ts";
import { openWorkspace } from "./workspace-file.ts";

/** The browser's answer to `navigator.storage.estimate()`, which Node does not have. */
function useStorage(estimate: () => Promise<StorageEstimate>): void {
  vi.stubGlobal("navigator", { storage: { estimate } });
}
const full = async () => ({ usage: 999_900, quota: 1_000_000 });

const all = { mods: true, vectors: true, setup: true, runs: true };
const options = () => ({ signal: new AbortController().signal, onProgress() {} });
let runs: RunRepository;
beforeEach(() => {
  runs = createRunRepository("test.storage-room");
});
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const { id } of await runs.list()) await runs.remove([id]);
  runs.close();
});

test("a file that fits, and a browser that does not tell, are no problem", async () => {
  useStorage(full);
  expect(await storageSpaceProblem(100)).toBeNull();
  expect(await storageSpaceProblem(101)).toBe(
    "The file needs 101 B, but the browser has only 100 B left for this page: delete runs or models that you do not need.",
  );
  useStorage(async () => ({ usage: 5 }));
  expect(await storageSpaceProblem(101)).toBeNull();
  useStorage(() => Promise.reject(new Error("refused")));
  expect(await storageSpaceProblem(101)).toBeNull();
  vi.unstubAllGlobals();
  expect(await readStorageSpace(undefined)).toBeNull();
});

test("a workspace whose runs do not fit changes nothing; without its runs it comes in", async () => {
  const stores = createTestStores({ runs });
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 20 }).records);
  await runs.save(runToSave(trace, { ...createImportedRunFields(), id: "a", recorded: false, when: 1 }));
  stores.conversation.getState().replace([{ role: "user", text: "Once" }]);
  const file = await createWorkspaceFile(stores, all, options());
  await runs.remove(["a"]);
  stores.conversation.getState().replace([{ role: "user", text: "Before" }]);
  const text = () => stores.conversation.getState().turns.map((turn) => turn.text);
  useStorage(full);
  const workspace = await openWorkspace(file);
  await expect(importWorkspace(stores, workspace, all, options())).rejects.toThrow(
    /^The file needs .+, but the browser has only 100 B left .+ Nothing was changed\.$/,
  );
  expect(text()).toEqual(["Before"]);
  expect(await runs.list()).toEqual([]);
  expect(await importWorkspace(stores, workspace, { ...all, runs: false }, options())).toMatchObject({
    runs: 0,
  });
  expect(text()).toEqual(["Once"]);
});

test("an experiment that does not fit is not imported", async () => {
  const stores = createTestStores({ runs });
  const json = experimentToJson({ experiment: twoByTwo, outcomes: [] });
  useStorage(full);
  await expect(importExperimentText(stores, json)).rejects.toThrow(
    /^The file needs .+, but the browser has only 100 B left .+ Nothing was changed\.$/,
  );
  expect(await runs.experiments.list()).toEqual([]);
  useStorage(async () => ({ usage: 0, quota: json.length }));
  await importExperimentText(stores, json);
  expect(await runs.experiments.list()).toHaveLength(1);
});

/** A workspace goes out and comes in again whole; what is hostile in it is refused, and nothing of it runs. */
import "fake-indexeddb/auto";
import { afterAll, expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { sampleVector } from "../../../core/vectors/testing/sample-vector.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { removeRuns } from "../history/run-actions.ts";
import { createImportedRunFields } from "../store/shown-run.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { vectorLibraryOf } from "../vectors/vector-library.ts";
import { hasOwnSetup, importWorkspace } from "./open-workspace.ts";
import { createWorkspaceFile } from "./save-workspace.ts";
import { encodeContentsLine, encodeRunLine, openWorkspace } from "./workspace-file.ts";

const all = { mods: true, vectors: true, setup: true, runs: true };
const options = () => ({ signal: new AbortController().signal, onProgress() {} });
const opened: { close(): void }[] = [];
afterAll(() => {
  for (const each of opened) each.close();
});

function page(name: string) {
  const runs = createRunRepository(`test.workspace.${name}`);
  opened.push(runs);
  return createTestStores({ runs });
}

async function filled(name: string) {
  const stores = page(name);
  for (const [place, id] of ["a", "b"].entries()) {
    const trace = createTraceModel();
    trace.append(sampleTrace({ tokens: 20 + place }).records);
    await stores.runs.save(
      runToSave(trace, { ...createImportedRunFields(), id, recorded: false, when: 1 + place }),
    );
  }
  await stores.runs.mark(["a"], () => ({ star: true, tags: ["good"], title: "The first" }));
  stores.mods.getState().add("cat", "export default 1;", { entry: "second" });
  for (const name of ["sad", "happy"]) vectorLibraryOf(stores).getState().add(sampleVector(name));
  stores.conversation.getState().replace([{ role: "user", text: "Once" }]);
  stores.settings.getState().change({ maxTokens: 7 });
  return stores;
}

test.each<[string, (stores: ReturnType<typeof page>) => void]>([
  ["prompt", ({ conversation }) => void conversation.getState().replace([{ role: "user", text: "Mine" }])],
  ["theme", ({ settings }) => void settings.getState().change({ theme: "dark" })],
  ["temperature", ({ settings }) => void settings.getState().changeSampling({ temperature: 0.9 })],
])("a user's own %s is something that an import would replace", (_what, change) => {
  const stores = page("own");
  stores.settings.getState().change({ showsAll: true });
  expect(hasOwnSetup(stores)).toBe(false);
  change(stores);
  expect(hasOwnSetup(stores)).toBe(true);
});

test("all of it comes in elsewhere, mods switched off and runs as recorded, and goes again by Undo", async () => {
  const from = await filled("from");
  const progress: number[][] = [];
  const file = await createWorkspaceFile(from, all, {
    ...options(),
    onProgress: (...at) => progress.push(at),
  });
  expect(progress).toEqual([
    [0, 2],
    [1, 2],
  ]);
  const to = page("to");
  const before = { mods: to.mods.getState().mods, turns: to.conversation.getState().turns };
  const came = await importWorkspace(to, await openWorkspace(file), all, options());
  const added = from.mods.getState().mods.length;
  const vectorsOfPage = () =>
    vectorLibraryOf(to)
      .getState()
      .vectors.map(({ vector }) => vector);
  expect(vectorsOfPage()).toEqual([sampleVector("happy"), sampleVector("sad")]);
  expect(came).toMatchObject({ mods: added, parts: { vectors: 2 }, runs: 2, known: 0, refused: 0 });
  expect(
    to.mods
      .getState()
      .mods.slice(before.mods.length)
      .every(({ enabled }) => !enabled),
  ).toBe(true);
  expect(to.mods.getState().mods.at(-1)).toMatchObject({ source: "export default 1;", entry: "second" });
  expect(to.conversation.getState().turns.map(({ text }) => text)).toEqual(["Once"]);
  expect(to.settings.getState().maxTokens).toBe(7);
  const [b, a] = await to.runs.list();
  expect(a).toMatchObject({
    id: "a",
    when: 1,
    star: true,
    tags: ["good"],
    title: "The first",
    recorded: true,
  });
  const [kept, own] = await Promise.all([to.runs.open("b"), from.runs.open("b")]);
  expect(b?.tokens).toBe(own?.metadata.tokens);
  expect(kept?.bytes).toEqual(own?.bytes);

  const again = await importWorkspace(to, await openWorkspace(file), { ...all, setup: false }, options());
  expect(again).toMatchObject({ mods: 0, runs: 0, known: added + 4, refused: 0 });
  came.undo();
  expect(to.mods.getState().mods).toEqual(before.mods);
  expect(vectorsOfPage()).toEqual([]);
  expect(to.conversation.getState().turns).toEqual(before.turns);
  await expect.poll(async () => (await to.runs.list()).length).toBe(0);
});

test("a backup that is brought in while Undo of the deletion stands is not deleted with the notice", async () => {
  const stores = await filled("backup");
  const { notices, runs } = stores;
  const file = await openWorkspace(await createWorkspaceFile(stores, all, options()));
  const kept = await runs.open("a");
  await removeRuns(stores, ["a", "b"]);
  const came = await importWorkspace(stores, file, { ...all, setup: false }, options());
  expect(came).toMatchObject({ runs: 2, refused: 0 });
  notices.getState().dismiss(notices.getState().notices[0]?.id ?? 0);
  await runs.purge({ before: Date.now() + 60_000 });
  expect((await runs.list()).map(({ id }) => id)).toEqual(["b", "a"]);
  expect((await runs.open("a"))?.bytes).toEqual(kept?.bytes);
  expect((await runs.search("Once", await runs.list())).size).toBe(2);
});

test("parts that were not chosen stay out", async () => {
  const from = await filled("parts");
  const { contents } = await openWorkspace(
    await createWorkspaceFile(from, { mods: false, vectors: false, setup: false, runs: true }, options()),
  );
  expect(contents).toEqual({ mods: [], parts: { vectors: [] }, setup: null, runCount: 2, leftOut: [] });
  const to = page("parts-to");
  const whole = await openWorkspace(await createWorkspaceFile(from, all, options()));
  const came = await importWorkspace(
    to,
    whole,
    { mods: false, vectors: false, setup: false, runs: false },
    options(),
  );
  expect(came).toMatchObject({ mods: 0, runs: 0, known: 0 });
});

test("a run that is damaged and a line that is none are refused, the others come in", async () => {
  const from = await filled("damaged");
  const { contents, runs } = await openWorkspace(await createWorkspaceFile(from, all, options()));
  const lines = [encodeContentsLine(contents), "no run\n"];
  for await (const found of runs()) {
    if (!found) continue;
    const { run, trace } = found;
    lines.push(
      encodeRunLine(run, run.id === "a" ? trace : trace.map((byte, at) => (at > 40 ? byte ^ 7 : byte))),
    );
  }
  const to = page("damaged-to");
  const came = await importWorkspace(to, await openWorkspace(new Blob(lines)), all, options());
  expect(came).toMatchObject({ runs: 1, refused: 2, why: "A line in the file is not a run." });
  expect((await to.runs.list()).map(({ id }) => id)).toEqual(["a"]);
});

test("unknown fields of runs stay out with a sentence, and the runs come in", async () => {
  const from = await filled("unknown");
  const { contents, runs } = await openWorkspace(await createWorkspaceFile(from, all, options()));
  const lines = [encodeContentsLine(contents)];
  for await (const found of runs())
    if (found) lines.push(encodeRunLine(Object.assign({ titel: "x" }, found.run), found.trace));
  const came = await importWorkspace(
    page("unknown-to"),
    await openWorkspace(new Blob(lines)),
    all,
    options(),
  );
  expect(came).toMatchObject({
    runs: 2,
    refused: 0,
    leftOut:
      'In the file, runs[0].titel is not known. Did you mean "title"? The field is skipped, but the rest of the file can be imported. 1 more run in the file also had unknown fields.',
  });
});

test("stopped: what came until then stays", async () => {
  const from = await filled("stopped");
  const file = await openWorkspace(await createWorkspaceFile(from, all, options()));
  const to = page("stopped-to");
  const stop = new AbortController();
  const onProgress = (done: number) => done === 1 && stop.abort();
  const came = await importWorkspace(to, file, all, { signal: stop.signal, onProgress });
  expect(came).toMatchObject({ runs: 1, refused: 0 });
});

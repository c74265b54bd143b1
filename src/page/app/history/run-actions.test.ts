/** Actions on saved runs, and how the list shows their results. */
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRunRepository, type RunRepository } from "../../runs/repository.ts";
import { runWith } from "../../runs/testing/some-runs.ts";
import { createNoticeStore } from "../store/notice-store.ts";
import { createHistoryStore, matchingRuns, sortedTags } from "./history-store.ts";
import { addTag, removeRuns, removeTag, renameRun, setStar } from "./run-actions.ts";

let tests = 0;
let runs: RunRepository;
let notices: ReturnType<typeof createNoticeStore>;
let history: ReturnType<typeof createHistoryStore>;
let stop: () => void;

beforeEach(async () => {
  tests += 1;
  runs = createRunRepository(`test.run-actions.${tests}`);
  notices = createNoticeStore();
  for (const [when, id] of ["a", "b", "c"].entries())
    await runs.save(runWith(id, { output: `answer ${id}` }, { when }));
  history = createHistoryStore(runs);
  stop = history.getState().follow();
  await until(() => history.getState().runs !== null);
});
afterEach(() => {
  stop();
  runs.close();
});

/** Waits for what the store does after the database has answered, or after code came that is fetched late. */
const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 5 });

const ids = () => matchingRuns(history.getState()).map(({ id }) => id);
const metadataOf = async (id: string) => (await runs.metadata([id]))[0];
const shownNotice = () => notices.getState().notices[0];

test("star, tags and query narrow the list, together and one by one", async () => {
  expect(ids()).toEqual(["c", "b", "a"]);
  const stores = { runs, notices };
  await setStar(stores, "a", true);
  await addTag(stores, "a", "  #two   words ");
  await addTag(stores, "b", "Other");
  await until(() => sortedTags(history.getState().runs ?? []).length === 2);
  expect(sortedTags(history.getState().runs ?? [])).toEqual(["Other", "two words"]);
  history.getState().setStarredOnly(true);
  expect(ids()).toEqual(["a"]);
  history.getState().setTag("Other");
  expect(ids()).toEqual([]);
  history.getState().setStarredOnly(false);
  expect(ids()).toEqual(["b"]);
  history.getState().setTag(null);
  history.getState().setQuery("ANSWER c");
  await until(() => ids().length === 1);
  expect(ids()).toEqual(["c"]);
  history.getState().setQuery("");
  await until(() => ids().length === 3);
});

test("a tag is there once in any case, and a name of nothing is none", async () => {
  const stores = { runs, notices };
  for (const tag of ["Dragons", "dragons", " # ", ""]) await addTag(stores, "a", tag);
  expect((await metadataOf("a"))?.tags).toEqual(["Dragons"]);
  await removeTag(stores, "a", "Dragons");
  expect((await metadataOf("a"))?.tags).toEqual([]);
  await renameRun(stores, "a", "  Mine ");
  expect((await metadataOf("a"))?.title).toBe("Mine");
  await renameRun(stores, "a", "  ");
  expect((await metadataOf("a"))?.title).toBeNull();
});

test("deleted runs come back by Undo, and are gone for good with the notice", async () => {
  const stores = { runs, notices };
  await removeRuns(stores, ["a", "b"]);
  await until(() => ids().length === 1);
  expect(shownNotice()?.text).toBe("2 runs deleted.");
  notices.getState().act(shownNotice()?.id ?? 0);
  await until(() => ids().length === 3);
  await removeRuns(stores, ["c"]);
  const first = shownNotice();
  // The next notice takes the place of this one, whose offer is gone with it.
  await removeRuns(stores, ["b"]);
  expect(await runs.restore(["c"])).toEqual([]);
  first?.action?.run();
  await until(() => notices.getState().notices.length === 2);
  // The error is shown at once; the notice of the deletion waits behind it, with its own Undo.
  expect(shownNotice()?.text).toContain("1 run was already deleted permanently");
  notices.getState().dismiss(shownNotice()?.id ?? 0);
  expect(shownNotice()?.text).toBe("1 run deleted.");
  notices.getState().dismiss(shownNotice()?.id ?? 0);
  await until(() => ids().length === 1);
  expect(await runs.restore(["b"])).toEqual([]);
});

test("what fails is told", async () => {
  const broken = { ...runs, mark: () => Promise.reject(new Error("The disk is gone.")) };
  await setStar({ runs: broken, notices }, "a", true);
  expect(shownNotice()?.text).toBe("The action failed. The disk is gone.");
});

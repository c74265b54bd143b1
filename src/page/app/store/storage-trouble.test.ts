import { expect, test } from "vitest";
import { createNoticeStore } from "./notice-store.ts";
import { createSavingStore, sayNotSaved } from "./saving-store.ts";
import { createStorageTroubleReporter } from "./storage-trouble.ts";

const fails = () => {
  throw new DOMException("", "QuotaExceededError");
};
const works = () => {};

function shown() {
  const notices = createNoticeStore();
  const texts = () => notices.getState().notices.map(({ text }) => text);
  return { notices, trouble: createStorageTroubleReporter(notices.getState()), texts };
}

test("two values that fail show one notice, and another one only after both were written", () => {
  const { notices, trouble, texts } = shown();
  const [one, other] = [trouble.writer(), trouble.writer()];
  expect([one(fails), other(fails)]).toEqual([false, false]);
  expect(texts()).toEqual([expect.stringMatching(/did not save your latest changes \(QuotaExceededError\)/)]);
  notices.getState().dismiss(notices.getState().notices[0]?.id ?? 0);
  expect([one(works), one(fails)]).toEqual([true, false]);
  expect(texts(), "the other value is still unsaved").toEqual([]);
  expect([one(works), other(works), one(fails)]).toEqual([true, true, false]);
  expect(texts()).toHaveLength(1);
});

test("the message about runs replaces the notice about changes, and no other notice", () => {
  const { notices, trouble, texts } = shown();
  const saving = createSavingStore();
  notices.getState().show("Another notice");
  trouble.writer()(fails);
  sayNotSaved({ saving, trouble }, new Error("It is closed."));
  expect(texts()).toEqual(["Another notice"]);
  expect(saving.getState().failure).toContain("Runs and your latest changes will be lost when");
});

test("without failed writes the message about runs leaves all notices", () => {
  const { notices, trouble, texts } = shown();
  const saving = createSavingStore();
  notices.getState().show("Another notice");
  sayNotSaved({ saving, trouble }, new Error("It is closed."));
  expect(texts()).toEqual(["Another notice"]);
  expect(saving.getState().failure).toContain("Runs and versions of your mods will be lost when");
});

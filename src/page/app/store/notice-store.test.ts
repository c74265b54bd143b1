import { expect, test } from "vitest";
import { createNoticeStore } from "./notice-store.ts";

function open() {
  const store = createNoticeStore();
  const texts = () => store.getState().notices.map(({ text }) => text);
  return { ...store.getState(), texts };
}

test("an error is shown at once, and the notices that it covers come after it", () => {
  const { show, fail, dismiss, texts } = open();
  show("Saved.");
  show("A mod was deleted.", { label: "Undo", run() {} });
  const error = fail("The file was not opened.");
  expect(texts()).toEqual(["The file was not opened.", "A mod was deleted.", "Saved."]);
  dismiss(error);
  expect(texts()).toEqual(["A mod was deleted.", "Saved."]);
});

test("an equal error is shown once, and at once", () => {
  const { fail, texts } = open();
  const first = fail("The file was not opened.");
  fail("The run could not be opened.");
  expect(fail("The file was not opened.")).toBe(first);
  expect(texts()).toEqual(["The file was not opened.", "The run could not be opened."]);
});

test("of many notices the newest errors stay, and a button is never lost", () => {
  const { show, fail, texts } = open();
  show("A mod was deleted.", { label: "Undo", run() {} });
  for (let number = 0; number < 20; number += 1) show(`Notice ${number}.`);
  for (let number = 0; number < 20; number += 1) fail(`Error ${number}.`);
  expect(texts()).toEqual(["Error 19.", "Error 18.", "Error 17.", "Error 16.", "A mod was deleted."]);
});

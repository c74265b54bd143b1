import { expect, test } from "vitest";
import { createTestMemoryStorage } from "../store/testing/memory-storage.ts";
import { createRecordingTroubleReporter } from "../store/testing/recorded-trouble.ts";
import { createAuthorNameStore } from "./maker-store.ts";

const page = () => ({
  storages: { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() },
  trouble: createRecordingTroubleReporter(),
});

test("nothing is signed until the user says so, and the name is kept for every tab", () => {
  const first = page();
  const store = createAuthorNameStore(first);
  expect(store.getState()).toEqual({ name: "", signs: false });
  store.setState({ name: "Ada", signs: true });
  const nextTab = { ...first, storages: { ...first.storages, tab: createTestMemoryStorage() } };
  expect(createAuthorNameStore(nextTab).getState()).toEqual({ name: "Ada", signs: true });
  store.setState({ signs: false });
  expect(createAuthorNameStore(nextTab).getState()).toEqual({ name: "Ada", signs: false });
});

test.each([
  ["no JSON", "{", { name: "", signs: false }],
  ["no name", '{"signs":true}', { name: "", signs: false }],
  ["a long one", `{"name":"${"x".repeat(500)}","signs":1}`, { name: "x".repeat(60), signs: false }],
])("what was kept is checked: %s", (_what, text, expected) => {
  const broken = page();
  broken.storages.browser.setItem("midtoken.maker.v1", text);
  expect(createAuthorNameStore(broken).getState()).toEqual(expected);
});

import { expect, test, vi } from "vitest";
import { createHubTokenStore, followHubToken } from "./hub-token-store.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createRecordingTroubleReporter } from "./testing/recorded-trouble.ts";

const storages = () => ({ browser: createTestMemoryStorage(), tab: createTestMemoryStorage() });
const texts = ({ browser, tab }: ReturnType<typeof storages>) =>
  [browser, tab].map((storage) => storage.getItem("midtoken.hub-token.v1"));

test("the token stays in the tab, in the browser if asked, and nowhere once it is removed", () => {
  const places = storages();
  const store = createHubTokenStore(places, createRecordingTroubleReporter());
  store.getState().change("hf_x", false);
  expect(texts(places)).toEqual([null, "hf_x"]);
  store.getState().change("hf_x", true);
  expect(texts(places)).toEqual(["hf_x", null]);
  expect(createHubTokenStore(places, createRecordingTroubleReporter()).getState()).toMatchObject({
    token: "hf_x",
    isRemembered: true,
  });
  store.getState().change("", true);
  expect(texts(places)).toEqual([null, null]);
});

test("the engine has the token that can be used, for huggingface.co alone", () => {
  const setHubAccess = vi.fn();
  const store = createHubTokenStore(storages(), createRecordingTroubleReporter());
  followHubToken(store, { setHubAccess });
  expect(setHubAccess).not.toHaveBeenCalled();
  store.getState().change("hf_x", false);
  expect(setHubAccess).toHaveBeenLastCalledWith({ token: "hf_x", origin: "https://huggingface.co" });
  store.getState().change("hf x", false);
  expect(setHubAccess).toHaveBeenLastCalledWith(null);
  expect(store.getState().problem).toMatch(/space or a line break/);
});

test("a full storage is reported, and the token works in this tab", () => {
  const full = {
    ...createTestMemoryStorage(),
    setItem: () => {
      throw new DOMException("", "QuotaExceededError");
    },
  };
  const said: string[] = [];
  const places = { browser: createTestMemoryStorage(), tab: full as Storage };
  const store = createHubTokenStore(places, createRecordingTroubleReporter(said));
  store.getState().change("hf_x", false);
  expect(said).toHaveLength(1);
  expect(store.getState().access?.token).toBe("hf_x");
});

import { expect, test, vi } from "vitest";
import { createServerStore, followServer } from "./server-store.ts";
import { memoryStorage } from "./testing/memory-storage.ts";

const storages = () => ({ browser: memoryStorage(), tab: memoryStorage() });
const saved = ({ browser, tab }: ReturnType<typeof storages>) =>
  [browser, tab].map((storage) => JSON.parse(storage.getItem("midtoken.server.v1") ?? "null"));

const url = "http://127.0.0.1:9931";

test("the key stays in the tab, and in the browser only if asked; a new tab knows the address", () => {
  const places = storages();
  const store = createServerStore(places, vi.fn());
  expect(store.getState()).toMatchObject({ access: null, isRemembered: false });
  store.getState().use({ url, key: "secret" }, false);
  expect(saved(places)).toEqual([{ url }, { url, key: "secret" }]);
  const newTab = { browser: places.browser, tab: memoryStorage() };
  expect(createServerStore(newTab, vi.fn()).getState()).toMatchObject({
    access: { url },
    isRemembered: false,
  });
  store.getState().use({ url, key: "secret" }, true);
  expect(createServerStore(newTab, vi.fn()).getState()).toMatchObject({
    access: { url, key: "secret" },
    isRemembered: true,
  });
  store.getState().use({ url }, true);
  expect(saved(places)).toEqual([{ url }, { url }]);
});

test("the engine has the server from the start, and each later one", () => {
  const places = storages();
  createServerStore(places, vi.fn()).getState().use({ url, key: "secret" }, false);
  const setServerAccess = vi.fn();
  const store = createServerStore(places, vi.fn());
  followServer(store, { setServerAccess });
  expect(setServerAccess).toHaveBeenLastCalledWith({ url, key: "secret" });
  store.getState().use({ url: "https://models.example" }, false);
  expect(setServerAccess).toHaveBeenLastCalledWith({ url: "https://models.example" });
});

test.each(["{", "3", "{}", '{"url":1}'])("a damaged text %s is no server", (text) => {
  const places = storages();
  places.browser.setItem("midtoken.server.v1", text);
  expect(createServerStore(places, vi.fn()).getState().access).toBeNull();
});

test("a full storage is reported, and the server can be used in this tab", () => {
  const full = {
    ...memoryStorage(),
    setItem: () => {
      throw new DOMException("", "QuotaExceededError");
    },
  };
  const onTrouble = vi.fn();
  const store = createServerStore({ browser: memoryStorage(), tab: full as Storage }, onTrouble);
  store.getState().use({ url, key: "secret" }, false);
  expect(onTrouble).toHaveBeenCalledOnce();
  expect(onTrouble.mock.calls.join()).not.toContain("secret");
  expect(store.getState().access).toEqual({ url, key: "secret" });
});

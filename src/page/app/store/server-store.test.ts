import { expect, test, vi } from "vitest";
import type { Storages } from "./persist.ts";
import { createServerStore } from "./server-store.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createRecordingTroubleReporter } from "./testing/recorded-trouble.ts";

const storages = () => ({ browser: createTestMemoryStorage(), tab: createTestMemoryStorage() });
const saved = ({ browser, tab }: ReturnType<typeof storages>) =>
  [browser, tab].map((storage) => JSON.parse(storage.getItem("midtoken.server.v1") ?? "null"));

const open = (places: Storages, setServerAccess = vi.fn(), said: string[] = []) =>
  createServerStore(places, { setServerAccess }, createRecordingTroubleReporter(said));

const url = "http://127.0.0.1:9931";

test("the key stays in the tab, and in the browser only if asked; a new tab knows the address", () => {
  const places = storages();
  const store = open(places);
  expect(store.getState()).toMatchObject({ access: null, isRemembered: false });
  store.getState().use({ url, key: "secret" }, false);
  expect(saved(places)).toEqual([{ url }, { url, key: "secret" }]);
  const newTab = { browser: places.browser, tab: createTestMemoryStorage() };
  expect(open(newTab).getState()).toMatchObject({
    access: { url },
    isRemembered: false,
  });
  store.getState().use({ url, key: "secret" }, true);
  expect(open(newTab).getState()).toMatchObject({
    access: { url, key: "secret" },
    isRemembered: true,
  });
  store.getState().use({ url }, true);
  expect(saved(places)).toEqual([{ url }, { url }]);
});

test("the engine has the server from the start, and each later one", () => {
  const places = storages();
  open(places).getState().use({ url, key: "secret" }, false);
  const setServerAccess = vi.fn();
  const store = open(places, setServerAccess);
  expect(setServerAccess).toHaveBeenLastCalledWith({ url, key: "secret" });
  store.getState().use({ url: "https://models.example" }, false);
  expect(setServerAccess).toHaveBeenLastCalledWith({ url: "https://models.example" });
});

test("the accepted RAM cache of a server stays", () => {
  const places = storages();
  open(places).getState().use({ url, acceptRamCache: true }, false);
  expect(open(places).getState().access).toEqual({ url, acceptRamCache: true });
});

test.each([false, "always"] as const)("which tokens the server may draw stays: %s", (serverDraws) => {
  const places = storages();
  open(places).getState().use({ url, serverDraws }, false);
  expect(open(places).getState().access).toEqual({ url, serverDraws });
});

test.each(["{", "3", "null", "{}", '{"url":1}'])("a damaged text %s is no server", (text) => {
  const places = storages();
  places.browser.setItem("midtoken.server.v1", text);
  expect(open(places).getState().access).toBeNull();
});

test("a full storage is reported, and the server can be used in this tab", () => {
  const full = {
    ...createTestMemoryStorage(),
    setItem: () => {
      throw new DOMException("", "QuotaExceededError");
    },
  };
  const said: string[] = [];
  const store = open({ browser: createTestMemoryStorage(), tab: full as Storage }, vi.fn(), said);
  store.getState().use({ url, key: "secret" }, false);
  expect(said).toHaveLength(1);
  expect(said[0]).not.toContain("secret");
  expect(store.getState().access).toEqual({ url, key: "secret" });
});

// @vitest-environment happy-dom
/** The form for a model server: what it asks, when, and what it keeps. */
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import {
  click,
  fill,
  findButton,
  findOnly,
  render,
  waitUntilPasses,
} from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestMemoryStorage } from "../store/testing/memory-storage.ts";
import { createTestCatalogEntry, createTestStores } from "../store/testing/test-stores.ts";
import { OwnServerSection } from "./own-server.tsx";

const key = "a-key-that-nobody-may-see";
const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };

/** Answers by address, as servers do. An address that is not here refuses the connection. */
let answers: Record<string, () => Response>;
let sent: { url: string; headers: Headers }[];
const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const models = { data: [{ id: "/m/story.gguf", meta: { n_vocab: 512, n_ctx_train: 512 } }] };

beforeEach(() => {
  storages.browser.clear();
  storages.tab.clear();
  sent = [];
  answers = {};
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    sent.push({ url, headers: new Headers(init.headers) });
    const answer = answers[url];
    if (!answer) throw new TypeError("Failed to fetch");
    return answer();
  });
});

async function open(loadModel = vi.fn(async () => ({ id: "models/one", adapter: "llama.cpp b1" }))) {
  const entry = createTestCatalogEntry("models/one");
  const setServerAccess = vi.fn();
  const stores = createTestStores({
    storages,
    models: [entry],
    session: { loadModel, setServerAccess } as never,
  });
  await render(
    <StoresProvider value={stores}>
      <OwnServerSection catalog={[entry]} />
    </StoresProvider>,
  );
  return { stores, loadModel, setServerAccess };
}

async function unfold(): Promise<void> {
  await act(async () => {
    findOnly<HTMLDetailsElement>(".own-server").open = true;
    findOnly(".own-server").dispatchEvent(new Event("toggle"));
  });
  await waitUntilPasses(() => findOnly(".own-server-form"));
}

const press = (name: string) => click(findButton(name));
const field = (label: string) => {
  const found = [...document.querySelectorAll("label")].find(({ textContent }) => textContent === label);
  return document.getElementById(found?.htmlFor ?? "") as HTMLInputElement;
};
const box = (label: string) => {
  const found = [...document.querySelectorAll("label")].find(({ textContent }) => textContent === label);
  return found?.querySelector("input") as HTMLInputElement;
};
const outsideBox = () =>
  box("When random sampling falls outside the server’s top-k list, let the server sample the token");
const everyBox = () => box("Let llama.cpp draw every token at temperatures above 0");
const ramCacheBox = () => box("Accept a llama.cpp server with a RAM cache of prompts");
const note = () => findOnly(".own-server-form > p:last-child").textContent;

function answerAt(url: string): void {
  answers[`${url}/v1/models`] = () => json(models);
  answers[`${url}/health`] = () => json({ status: "ok" });
  answers[`${url}/props`] = () =>
    json({
      build_info: "b1",
      total_slots: 1,
      model_path: "/m/story.gguf",
      default_generation_settings: { n_ctx: 512 },
    });
}

test("nothing is asked until the part is opened; without a relay address and key are asked for", async () => {
  await open();
  expect(sent).toEqual([]);
  await unfold();
  expect(sent.every(({ url }) => url === "http://localhost:3000/engine/v1/models")).toBe(true);
  expect(field("Address").value).toBe("");
  expect(findButton("Use this server").disabled).toBe(false);
});

test("a relay is offered first, and needs neither address nor key", async () => {
  answerAt("http://localhost:3000/engine");
  const { stores, loadModel } = await open();
  await unfold();
  expect(document.body.textContent).toContain(
    "llama.cpp runs the model story.gguf, with 512 tokens of context.",
  );
  expect(document.querySelector('input[type="password"]')).toBeNull();
  await press("Use this server");
  await waitUntilPasses(() => expect(note()).toBe("The model models/one runs on llama.cpp b1."));
  expect(loadModel).toHaveBeenCalledOnce();
  expect(stores.model.getState().choice?.reference.server).toBe("http://localhost:3000/engine");
  expect(stores.server.getState().access).toEqual({ url: "http://localhost:3000/engine" });
});

test("the key goes to the typed address alone, and is kept in this tab", async () => {
  answerAt("http://127.0.0.1:9931");
  const { setServerAccess } = await open();
  await unfold();
  await fill(field("Address"), "http://127.0.0.1:9931/");
  await fill(field("Key, if the server asks for one"), key);
  await press("Use this server");
  await waitUntilPasses(() => expect(note()).toContain("runs on"));
  expect(setServerAccess).toHaveBeenLastCalledWith({ url: "http://127.0.0.1:9931", key });
  const withKey = sent.filter(({ headers }) => headers.has("authorization"));
  expect(new Set(withKey.map(({ url }) => new URL(url).origin))).toEqual(new Set(["http://127.0.0.1:9931"]));
  const keys = (storage: Storage) =>
    Array.from({ length: storage.length }, (_, place) => storage.key(place) ?? "").filter((name) =>
      storage.getItem(name)?.includes(key),
    );
  expect(keys(storages.browser)).toEqual([]);
  expect(keys(storages.tab)).toEqual(["midtoken.server.v1"]);
});

test("the server draws no tokens if the user says so, and the model is loaded again", async () => {
  answerAt("http://localhost:3000/engine");
  const { stores, loadModel } = await open();
  await unfold();
  await press("Use this server");
  await waitUntilPasses(() => expect(note()).toContain("runs on"));
  expect(outsideBox().checked).toBe(true);
  await click(outsideBox());
  await press("Use this server");
  await waitUntilPasses(() => expect(loadModel).toHaveBeenCalledTimes(2));
  expect(stores.server.getState().access).toEqual({
    url: "http://localhost:3000/engine",
    serverDraws: false,
  });
  await waitUntilPasses(() => expect(note()).toContain("runs on"));
  await press("Use this server");
  await waitUntilPasses(() => expect(note()).toContain("runs on"));
  expect(loadModel).toHaveBeenCalledTimes(2);
});

test("the server draws every token if the user says so", async () => {
  answerAt("http://localhost:3000/engine");
  const { stores, setServerAccess } = await open();
  await unfold();
  expect(everyBox().checked).toBe(false);
  await click(everyBox());
  await press("Use this server");
  await waitUntilPasses(() => expect(note()).toContain("runs on"));
  const access = { url: "http://localhost:3000/engine", serverDraws: "always" };
  expect(stores.server.getState().access).toEqual(access);
  expect(setServerAccess).toHaveBeenLastCalledWith(access);
});

test("a server with a RAM cache is accepted if the user says so", async () => {
  answerAt("http://localhost:3000/engine");
  const { stores } = await open();
  await unfold();
  expect(ramCacheBox().checked).toBe(false);
  await click(ramCacheBox());
  await press("Use this server");
  await waitUntilPasses(() => expect(note()).toContain("runs on"));
  expect(stores.server.getState().access).toEqual({
    url: "http://localhost:3000/engine",
    acceptRamCache: true,
  });
});

test("after a reload, the boxes show what the user chose", async () => {
  const access = { url: "http://localhost:3000/engine", serverDraws: "always", acceptRamCache: true };
  storages.tab.setItem("midtoken.server.v1", JSON.stringify(access));
  answerAt(access.url);
  await open();
  await unfold();
  expect([outsideBox().checked, everyBox().checked, ramCacheBox().checked]).toEqual([true, true, true]);
});

test("a server that draws every token also draws those outside its list", async () => {
  answerAt("http://localhost:3000/engine");
  await open();
  await unfold();
  const checked = () => [outsideBox().checked, everyBox().checked];
  await click(outsideBox());
  expect(checked()).toEqual([false, false]);
  await click(everyBox());
  expect(checked()).toEqual([true, true]);
  await click(outsideBox());
  expect(checked()).toEqual([false, false]);
});

test.each([
  [
    "nobody answers",
    {},
    "No server answers at http://127.0.0.1:9931. Start the server, or correct the address, and run again.",
  ],
  [
    "the key is refused",
    { "/health": () => json({}), "/v1/models": () => json(models), "/props": () => json({}, 401) },
    "http://127.0.0.1:9931 refuses the key (401). Give the key that the server was started with.",
  ],
  [
    "the model is still loading",
    { "/v1/models": () => json({ error: { message: "Loading model" } }, 503) },
    "http://127.0.0.1:9931 is not ready (503): Loading model. Wait until it has loaded its model, then run again.",
  ],
  [
    "another program answers",
    { "/v1/models": () => json({ data: [{ id: "gpt-4", owned_by: "openai" }] }) },
    /^The server at .* is not a llama\.cpp, vLLM or SGLang server: .*data\[0\]\.owned_by is "openai"/,
  ],
  ["the answer is no JSON", { "/v1/models": () => new Response("<html>") }, /is not JSON/],
])("one sentence if %s", async (_what, given, sentence) => {
  for (const [path, answer] of Object.entries(given)) answers[`http://127.0.0.1:9931${path}`] = answer;
  await open();
  await unfold();
  await fill(field("Address"), "http://127.0.0.1:9931");
  await fill(field("Key, if the server asks for one"), key);
  await press("Test connection");
  await waitUntilPasses(() => expect(note()).toMatch(sentence));
  expect(document.body.textContent).not.toContain(key);
});

test("an address that no page may ask is not asked", async () => {
  await open();
  await unfold();
  const before = sent.length;
  await fill(field("Address"), "http://192.168.1.7:9931");
  await press("Test connection");
  await waitUntilPasses(() => expect(note()).toContain("npm start -- --engine http://192.168.1.7:9931"));
  expect(sent).toHaveLength(before);
});

test("a tokenizer of another model is said beside the button, after the load", async () => {
  answerAt("http://127.0.0.1:9931");
  const refusal = "The server’s model and the tokenizer belong to different models.";
  await open(vi.fn(() => Promise.reject(new Error(refusal))));
  await unfold();
  await fill(field("Address"), "http://127.0.0.1:9931");
  await press("Use this server");
  await waitUntilPasses(() => expect(note()).toBe(refusal));
});

/** Reading the texts of a vector through a session that only says what it was asked. */
import { describe, expect, test } from "vitest";
import type { VectorTexts } from "../../../core/vectors/text-states.ts";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { nonEmptyLines, readVectorTextStates, type VectorTextsProgress } from "./read-vector-texts.ts";

const reference = {
  id: "a/model",
  url: "http://localhost/",
  revision: null,
  dtype: { webgpu: "q4", wasm: "q4" },
} as const;

const texts: VectorTexts = { toward: ["abc", "de"], away: ["fgh", "ij"], tokens: "all", as: "text" };

function page(session: Partial<Session> = {}) {
  const asked: unknown[] = [];
  const stores = createTestStores({
    session: {
      loadModel: async () => ({ id: "a/model" }) as Awaited<ReturnType<Session["loadModel"]>>,
      async tokenizePrompt(prompt) {
        asked.push(prompt);
        return [...String(prompt.messages[0]?.content)].map((text, token) => ({ token, text }));
      },
      async readLayers(query, options) {
        asked.push(query);
        options?.onOpening?.({ model: "a/model", progress: null });
        options?.onOpening?.(null);
        return {
          layerCount: 2,
          hiddenSize: 1,
          places: query.places.map((place) => ({ place, hidden: Float32Array.of(place, -place), lens: [] })),
          texts: new Map(),
        };
      },
      ...session,
    },
  });
  stores.model.getState().choose(reference);
  const progress: VectorTextsProgress[] = [];
  const stop = new AbortController();
  const read = (wanted = texts) =>
    readVectorTextStates(stores, wanted, { signal: stop.signal, onProgress: (now) => progress.push(now) });
  return { asked, progress, stop, read };
}

describe("reading the texts", () => {
  test("each as its tokens, at the places that count; its mean is what came", async () => {
    const { asked, read } = page();
    expect(await read()).toEqual({
      modelId: "a/model",
      states: {
        layerCount: 2,
        hiddenSize: 1,
        toward: [Float32Array.of(1.5, -1.5), Float32Array.of(1, -1)],
        away: [Float32Array.of(1.5, -1.5), Float32Array.of(1, -1)],
      },
    });
    expect(asked.slice(0, 4)).toEqual([
      { messages: [{ role: "user", content: "abc" }], rawPrompt: true },
      { tokens: [0, 1, 2], places: [1, 2], hidden: "all" },
      { messages: [{ role: "user", content: "de" }], rawPrompt: true },
      { tokens: [0, 1], places: [1], hidden: "all" },
    ]);
  });

  test("as messages, at the last token", async () => {
    const { asked, read } = page();
    await read({ ...texts, tokens: "last", as: "message" });
    expect(asked.slice(0, 2)).toEqual([
      { messages: [{ role: "user", content: "abc" }] },
      { tokens: [0, 1, 2], places: [2], hidden: "all" },
    ]);
  });

  test("says how far it is", async () => {
    const { progress, read } = page();
    await read();
    expect(progress.slice(0, 3).map(({ what }) => what)).toEqual([
      "Loading the model",
      "Reading the texts",
      "Preparing the model’s layers",
    ]);
    expect(progress.at(-1)).toEqual({ what: "Reading the texts", share: 1 });
  });

  test("is over when it is stopped", async () => {
    const { stop, read } = page({
      readLayers: (_query, options) =>
        new Promise((_resolve, reject) =>
          options?.signal?.addEventListener("abort", () =>
            reject(new DOMException("Stopped.", "AbortError")),
          ),
        ),
    });
    const reading = read();
    setTimeout(() => stop.abort());
    await expect(reading).rejects.toThrow("Stopped.");
  });

  test.each<[string, Partial<Session>]>([
    ["No such model.", { loadModel: () => Promise.reject(new Error("No such model.")) }],
    [
      "Its layers are not found.",
      { readLayers: () => Promise.reject(new Error("Its layers are not found.")) },
    ],
  ])("fails with what went wrong: %s", async (words, session) => {
    await expect(page(session).read()).rejects.toThrow(words);
  });
});

test("a field has a text a line, without empty ones", () => {
  expect(nonEmptyLines(" one \r\n\n  \ntwo")).toEqual(["one", "two"]);
});

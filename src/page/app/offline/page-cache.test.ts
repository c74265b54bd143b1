import { expect, test } from "vitest";
import { nameWithoutHash, replacementsForSaved, responseSourceOf } from "./page-cache.ts";

const scope = "https://a.org/some/sub/path/";
const asked = (path: string, changes: Partial<Parameters<typeof responseSourceOf>[0]> = {}) => ({
  url: new URL(path, scope).href,
  method: "GET",
  mode: "cors",
  destination: "",
  hasRange: false,
  ...changes,
});
const document = { mode: "navigate", destination: "document" };

test.each([
  ["./", document, "page"],
  ["./index.html?select=3", document, "page"],
  ["./?compare=1#t1.abc", document, "page"],
  // As documents, a model's files are the server's, with the headers that keep them from running.
  ["models/stories260k/config.json", document, null],
  ["local-models/x/onnx/model.onnx", document, null],
  ["assets/main-12345678.js", document, null],
  ["docs/", document, null],
  ["./", {}, null],
  ["assets/main-12345678.js", { destination: "script" }, "asset"],
  ["assets/x-12345678.wasm", {}, "asset"],
  ["favicon.svg", { destination: "image" }, "asset"],
  ["models/stories260k/config.json", {}, "model"],
  ["models/stories260k/config.json", { destination: "script" }, null],
  ["models/stories260k/onnx/model.onnx", { hasRange: true }, null],
  ["local-models.json", {}, "list"],
  ["local-models/x/config.json", {}, "local-model"],
  ["local-models/x/config.json", { destination: "iframe" }, null],
  ["assets/main-12345678.js", { method: "HEAD" }, null],
  ["assets/main-12345678.js", { method: "POST" }, null],
  ["https://a.org/some/sub/assets/main-12345678.js", {}, null],
  ["https://huggingface.co/assets/x.js", {}, null],
  ["https://b.org/some/sub/path/", document, null],
] as const)("%s (%o) is answered as %j", (path, changes, answer) => {
  expect(responseSourceOf(asked(path, changes), scope)).toBe(answer);
});

test.each([
  ["assets/engine-worker-vVe-gwIG.js", "engine-worker.js"],
  ["assets/ort-wasm-simd-threaded.jspi-CP6SXO_B.wasm", "ort-wasm-simd-threaded.jspi.wasm"],
  ["favicon.svg", "favicon.svg"],
])("%s is %s", (path, stem) => {
  expect(nameWithoutHash(path)).toBe(stem);
});

test("what was used of the version before is wanted of the next, and nothing else", () => {
  const kept = ["assets/editor-AAAAAAAA.js", "assets/same-CCCCCCCC.js"];
  const next = ["assets/editor-BBBBBBBB.js", "assets/same-CCCCCCCC.js", "assets/charts-DDDDDDDD.js"];
  expect(replacementsForSaved(next, kept)).toEqual(["assets/editor-BBBBBBBB.js"]);
  expect(replacementsForSaved(next, [])).toEqual([]);
});

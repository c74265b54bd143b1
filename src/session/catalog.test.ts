import { expect, test } from "vitest";
import { parseLocalModels } from "./catalog.ts";

const page = "http://localhost:4173/sub/";
const entry = {
  id: "tiny",
  url: "local-models/tiny/",
  revision: null,
  dtype: { webgpu: "q4", wasm: "fp32" },
  bytes: 9,
};

test("a folder of the server becomes an entry with an absolute address", () => {
  expect(parseLocalModels([entry], page)).toMatchObject([
    {
      title: "tiny",
      origin: "folder",
      reference: { url: "http://localhost:4173/sub/local-models/tiny/", dtype: { wasm: "fp32" } },
      downloadBytes: 9,
    },
  ]);
});

test.each([
  ["not a list", {}],
  ["no id", [{ ...entry, id: undefined }]],
  ["no dtype", [{ ...entry, dtype: null }]],
  ["an unknown dtype", [{ ...entry, dtype: { webgpu: "q4", wasm: "q17" } }]],
])("%s is refused", (_, json) => {
  expect(() => parseLocalModels(json, page)).toThrow();
});

import { expect, test } from "vitest";
import { isSameModel } from "./is-same-model.ts";

const model = {
  id: "one",
  url: "https://a.example/",
  revision: "main",
  dtype: { webgpu: "q4", wasm: "int8" },
};

test("a name does not make another model", () => {
  const renamed = { ...model, id: "two" };
  expect(isSameModel(model, renamed)).toBe(true);
});

test.each([
  { url: "https://b.example/" },
  { revision: null },
  { server: "http://localhost:8080" },
  { dtype: { webgpu: "fp16", wasm: "int8" } },
  { dtype: { webgpu: "q4", wasm: "fp32" } },
])("%o makes another model", (changes) => {
  expect(isSameModel(model, { ...model, ...changes })).toBe(false);
});

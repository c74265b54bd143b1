/**
 * The real instruct model, from a hub on this machine, compared with the answers of native ONNX Runtime. Takes about a
 * minute.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { hubFolderAddress } from "./base/hub-folder.ts";
import { loadModel, type ModelBundle } from "./load/load-model.ts";
import { firstTokenDifference } from "./testing/greedy.ts";
import { type ModelHub, startModelHub } from "./testing/model-hub.ts";

const id = "HuggingFaceTB/SmolLM2-135M-Instruct";
const found = modelFolder("smollm2-135m-instruct");
const isThere = found !== null;
const folder = found ?? "";
if (!isThere) test.skip("its answers: set MIDTOKEN_MODELS");

/** Longer expected answers are compared only up to this length, because every token takes time. */
const mostTokens = 16;

/** If the two best logits differ by less than this, another machine may order them differently. */
const nearTie = 0.01;

interface Case {
  readonly messages: Parameters<ModelBundle["formatPrompt"]>[0];
  readonly prompt: readonly number[];
  readonly greedy: readonly number[];
  readonly text: string;
}

let hub: ModelHub;
let bundle: ModelBundle;
beforeAll(async () => {
  if (!isThere) return;
  hub = await startModelHub({ [id]: folder });
  const url = hubFolderAddress(id, "main", hub.host);
  bundle = await loadModel({ id, url, revision: "main", dtype: { webgpu: "int8", wasm: "int8" } }, "wasm");
});
afterAll(async () => {
  await bundle?.model.dispose();
  await hub?.close();
});

const cases: Case[] = isThere ? JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")).cases : [];

test.runIf(isThere)("all conversations are there, and the model is what its files say", () => {
  expect(cases).toHaveLength(11);
  expect(bundle.info).toMatchObject({
    id,
    device: "wasm",
    vocabularySize: 49152,
    capacity: 8192,
    chatTemplate: true,
  });
  expect(bundle.info.bytes).toBeGreaterThan(137e6);
  expect(bundle.tokenizer.eosTokenIds).toEqual([2]);
});

test.runIf(isThere).each(cases)("answers $text", async ({ messages, prompt, greedy, text }) => {
  expect(bundle.formatPrompt(messages)).toEqual(prompt);
  expect(bundle.tokenizer.decode(greedy)).toBe(text);
  const difference = await firstTokenDifference(bundle.model, prompt, greedy.slice(0, mostTokens));
  if (difference === null) return;
  console.log(
    `A near-tie at token ${difference.at} of ${JSON.stringify(text)}: ${JSON.stringify(difference)}`,
  );
  expect(difference.gap).toBeLessThan(nearTie);
});

/** The catalogue against a hub on this machine. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HubServer, startHubServer } from "../testing/hub-server.ts";
import { type CheckReport, checkCatalog, checkModelsCommand, updateModelsCommand } from "./check.ts";

const text = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const config = {
  model_type: "qwen3",
  vocab_size: 2048,
  hidden_size: 64,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 32,
  num_hidden_layers: 3,
  max_position_embeddings: 4096,
};
const template = "<|im_start|>{% if tools %}</tool_call>{% endif %}{{ enable_thinking }}";
const files = new Map([
  ["config.json", text(config)],
  ["tokenizer_config.json", text({ chat_template: template })],
  ["onnx/model_q4.onnx", new Uint8Array(100)],
  ["onnx/model_q4.onnx_data", new Uint8Array(900)],
]);
const folder = mkdtempSync(join(tmpdir(), "midtoken-check-"));
const file = join(folder, "models.json");
let hub: HubServer;
let commit = "";
beforeAll(async () => {
  hub = await startHubServer({ repositories: { "owner/right": { main: files, licence: "apache-2.0" } } });
  commit = (await (await fetch(`${hub.host}/api/models/owner/right`)).json()).sha;
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

const entry = (changes: object = {}) => ({
  id: "right",
  title: "Right",
  description: "It is.",
  tier: "tiny",
  hub: "owner/right",
  revision: commit,
  weights: [{ dtype: "q4", bytes: 1000 }],
  parameters: 400_000,
  contextLength: 4096,
  licence: "Apache-2.0",
  chatTemplate: { format: "chatml", toolCalls: "hermes", thinking: true },
  architecture: { vocabularySize: 2048, hiddenSize: 64, attentionLayers: 3, keyValueHeads: 2, headSize: 32 },
  needs: [],
  measured: true,
  source: "The hub",
  suggestedPrompt: "Hello",
  ...changes,
});
const list = (...models: unknown[]) => ({ models });

test("an entry that is as the hub says has no drift, and the bundled model is not asked for", async () => {
  const { hub: _, revision: __, ...bundled } = entry({ id: "bundled", url: "models/x/" });
  expect(await checkCatalog(list(entry(), { ...bundled }), hub.host)).toEqual({
    hub: hub.host,
    checked: ["right"],
    drift: [],
    failures: [],
    newer: [],
  });
});

test.each<[string, object, unknown, unknown]>([
  ["revision", { revision: "main" }, "main", expect.stringMatching(/^[0-9a-f]{40}$/)],
  ["licence", { licence: "MIT" }, "MIT", "Apache-2.0"],
  ["contextLength", { contextLength: 8192 }, 8192, 4096],
  ["architecture.headSize", { architecture: { ...entry().architecture, headSize: 16 } }, 16, 32],
  ["architecture.stateLayers", { architecture: { ...entry().architecture, stateLayers: 2 } }, 2, null],
  ["chatTemplate.toolCalls", { chatTemplate: { ...entry().chatTemplate, toolCalls: null } }, null, "hermes"],
  ["chatTemplate.thinking", { chatTemplate: { ...entry().chatTemplate, thinking: false } }, false, true],
  ["weights.q4.bytes", { weights: [{ dtype: "q4", bytes: 1001 }] }, 1001, 1000],
  ["weights.q4.bytes", { weights: [{ dtype: "q4", bytes: null }] }, null, 1000],
  [
    "weights.fp16",
    {
      weights: [
        { dtype: "q4", bytes: 1000 },
        { dtype: "fp16", bytes: 5 },
      ],
    },
    5,
    "not there",
  ],
])("a changed %s is drift", async (field, changes, listed, found) => {
  const { drift } = await checkCatalog(list(entry(changes)), hub.host);
  expect(drift).toEqual([{ id: "right", field, listed, found }]);
});

test("a model that is not there is a failure, and the others are still compared", async () => {
  const gone = entry({ id: "gone", hub: "owner/gone" });
  const { failures, checked } = await checkCatalog(list(gone, entry()), hub.host);
  expect(checked).toEqual(["gone", "right"]);
  expect(failures).toEqual([{ id: "gone", reason: expect.stringContaining("owner/gone") }]);
});

test("the command says which entry, field and value; update writes them; then all is right", async () => {
  writeFileSync(
    file,
    JSON.stringify(
      list(entry({ revision: "main", weights: [{ dtype: "q4", bytes: null }], measured: false })),
    ),
  );
  const lines: string[] = [];
  const argv = ["--hub", `${hub.host}/`, "--file", file];
  expect(await checkModelsCommand(argv, (line) => lines.push(line))).toBe(false);
  expect(lines).toContain(`right: weights.q4.bytes is null in ${file}, and 1000 on the hub.`);
  expect(lines.at(-1)).toMatch(/^2 fields differ, 0 of 1 models could not be measured\./);
  expect(await updateModelsCommand(argv, () => {})).toBe(true);
  expect(JSON.parse(readFileSync(file, "utf8")).models[0]).toMatchObject({
    revision: commit,
    weights: [{ dtype: "q4", bytes: 1000 }],
    measured: true,
    source: expect.stringMatching(/^The hub, \d{4}-\d\d-\d\d$/),
  });
  const json: string[] = [];
  expect(await checkModelsCommand([...argv, "--json"], (line) => json.push(line))).toBe(true);
  expect((JSON.parse(json.join("\n")) as CheckReport).drift).toEqual([]);
});

test("wrong arguments are refused", async () => {
  await expect(checkModelsCommand(["--hub", "hub"])).rejects.toThrow('--hub is "hub"');
  await expect(checkModelsCommand(["--file", join(folder, "none.json")])).rejects.toThrow("none.json");
});

/** The gallery's mods do the same in QuickJS as in a browser's engine: the same trace, token for token. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryTokenizerData } from "../../../core/tokenizer/testing/repository-tokenizers.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { examples } from "../../../page/examples/index.ts";
import { type ExportedModel, openExportedModel } from "../../../page/examples/testing/exported-model.ts";
import { asRealTestModel, type RealTestModel } from "../../../page/examples/testing/test-model.ts";
import { compileMod } from "../../../runtime/sandbox/compile.ts";
import type { CompiledModInfo } from "../../../runtime/sandbox/compiled-mod.ts";
import { connectModHost, serializeTokenizer } from "../../../runtime/sandbox/port-mod-host.ts";
import type { SandboxPorts } from "../../../runtime/sandbox/protocol.ts";
import { startNodeGuest } from "../../../runtime/sandbox/testing/node-guest.ts";
import { createQuickJsPool } from "./quickjs-pool.ts";

const tokenizerData = repositoryTokenizerData("stories260k");
const pool = createQuickJsPool();
let exported: ExportedModel;
let model: RealTestModel;

beforeAll(async () => {
  pool.prepare(serializeTokenizer(tokenizerData));
  exported = await openExportedModel("public/models/stories260k", "onnx/model.onnx");
  model = asRealTestModel(exported);
});
afterAll(async () => {
  pool.dispose();
  await model.dispose();
});

/** A deadline for tests that hang; a test that is slow on a busy machine must not fail. */
const patient = { load: 60_000, prefilled: 60_000, event: 60_000 };

interface Started extends SandboxPorts {
  readonly about: CompiledModInfo;
  kill(): void;
}

async function run(example: (typeof examples)[number], guest: Started): Promise<readonly TraceRecord[]> {
  const { about, kill } = guest;
  const { name, suggestedPrompt: messages, temperature, seed, tools, schema } = example;
  const host = await connectModHost(guest, {
    name,
    about,
    seed: 5,
    tokenizerData,
    deadlines: patient,
    onKill: kill,
  });
  // Empties the model's cache, because its next request would otherwise read only a part of its prompt.
  exported.forget();
  try {
    const { records } = await model.run({ messages, maxTokens: 16, temperature, seed, tools, schema }, [
      host,
    ]);
    return records;
  } finally {
    host.dispose();
  }
}

/**
 * Removes times, and replaces a fault's line by whether there is one: for a call over several lines, engines report
 * different lines.
 */
function comparable(records: readonly TraceRecord[]): unknown {
  const kept = (key: string, value: unknown) => {
    if (/Us$/.test(key)) return undefined;
    return key === "line" ? value !== null : value;
  };
  return JSON.parse(JSON.stringify(records, kept));
}

test.each(examples)("$name", async (example) => {
  const compiled = compileMod(example.source, "test");
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  // Both start at the same time.
  const guest = pool.spawn(compiled);
  const plain = startNodeGuest(example.source);
  const inNode = await run(example, { ...plain, about: plain.compiled.about });
  const inQuickJs = await run(example, await guest);
  expect(comparable(inQuickJs)).toEqual(comparable(inNode));
  expect(inQuickJs.some(({ type }) => type === "modCall")).toBe(true);
});

/** The gallery's mods with the bundled model on a real llama.cpp server: the text of the model here, or a refusal before the start. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../scripts/remote/find-server.ts";
import { type RunningLlamaServer, startLlamaServer } from "../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../scripts/remote/story-gguf.ts";
import { withoutTimes } from "../../core/decoder/testing/trace-log.ts";
import { repositoryTokenizerData } from "../../core/tokenizer/testing/repository-tokenizers.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { createFolderSource } from "../../package/node/folder-source.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import type { HttpExchange } from "../../runtime/remote/exchange.ts";
import { loadRemoteModel } from "../../runtime/remote/load-remote-model.ts";
import { connectModHost } from "../../runtime/sandbox/port-mod-host.ts";
import { startNodeGuest } from "../../runtime/sandbox/testing/node-guest.ts";
import { examples } from "./index.ts";
import { type ExportedModel, openExportedModel } from "./testing/exported-model.ts";
import { asRealTestModel, type TestRunOutcome } from "./testing/test-model.ts";

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

const folder = "public/models/stories260k";
const tokenizerData = repositoryTokenizerData("stories260k");
const patient = { load: 60_000, prefilled: 60_000, event: 60_000 };
const reference = {
  id: "stories260k",
  url: "file:///s/",
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
};

type Example = (typeof examples)[number];

describe.runIf(isThere)("gallery on a server", () => {
  let server: RunningLlamaServer;
  let directory: string;
  let local: ExportedModel;
  const remote = new Map<number | undefined, ExportedModel>();
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "midtoken-llama-"));
    const file = join(directory, "story.gguf");
    writeFileSync(file, storyGguf());
    server = await startLlamaServer({ model: file, slots: 3 });
    local = await openExportedModel(folder, "onnx/model.onnx");
    for (const listed of [undefined, 64, 20]) {
      const source = createFolderSource(folder);
      const access = { url: server.url, listed };
      const { model } = await loadRemoteModel(reference, { source, access, exchange: createHttpExchange() });
      remote.set(listed, await openExportedModel(folder, "onnx/model.onnx", folder, model));
    }
  });
  afterAll(async () => {
    await local?.dispose();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const refused = new Map<number | undefined, string[]>();
  test.each(examples)("$name", async (example) => {
    const expected = await outcomeOf(local, example);
    for (const [listed, model] of remote) {
      const found = await outcomeOf(model, example);
      const isRefused = "refused" in found && /layers/.test(found.refused);
      if (isRefused) refused.set(listed, [...(refused.get(listed) ?? []), example.name]);
      else expect(found, `${listed ?? "all"} listed`).toEqual(expected);
    }
  });

  test("a stream as a draft gives the traces of step by step, times apart", async () => {
    const models: ExportedModel[] = [];
    const requests = { streamed: 0, stepped: 0 };
    for (const stream of [true, false]) {
      const send = createHttpExchange();
      const exchange: HttpExchange = (request) => {
        requests[stream ? "streamed" : "stepped"] += 1;
        return send(request);
      };
      const access = { url: server.url, listed: 64, stream };
      const source = createFolderSource(folder);
      const { model } = await loadRemoteModel(reference, { source, access, exchange });
      models.push(await openExportedModel(folder, "onnx/model.onnx", folder, model));
    }
    const [streamed, stepped] = models as [ExportedModel, ExportedModel];
    const able = examples.filter(({ source }) => !/layer/i.test(source));
    for (const example of able.slice(0, 20)) {
      const greedy = { ...example, temperature: 0 };
      const found = await recordsOf(streamed, greedy);
      expect(rounded(found), example.name).toEqual(rounded(await recordsOf(stepped, greedy)));
    }
    expect(requests.streamed).toBeLessThan(requests.stepped / 2);
  });

  test("refused are mods that read or steer layers, and no others", () => {
    const readLayers = examples.filter(({ source }) => /layer/i.test(source)).map(({ name }) => name);
    expect(refused.get(undefined)).toEqual(readLayers);
    expect(refused.get(64)).toEqual(readLayers);
    expect(refused.get(20)).toEqual(readLayers);
  });
});

/** The text of an answer and why it ended, or why it did not begin. */
async function outcomeOf(
  exported: ExportedModel,
  example: Example,
): Promise<{ readonly refused: string } | { readonly reason: string; readonly text: string }> {
  try {
    const { finished } = await run(exported, example, 16);
    // In the middle of a request, a mod that needs layers fails with this error: it never runs here without them.
    const error = finished.error?.message ?? "";
    if (/layers/.test(error)) return { refused: error };
    return { reason: finished.reason, text: finished.text };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

async function recordsOf(exported: ExportedModel, example: Example): Promise<readonly TraceRecord[]> {
  return (await run(exported, example, 32)).records;
}

/** Without times. The server computes a token alone or beside others, which changes the last digits. */
function rounded(records: readonly TraceRecord[]): unknown {
  return JSON.parse(
    JSON.stringify(withoutTimes(records), (_, value) =>
      typeof value === "number" && !Number.isInteger(value) ? Math.round(value * 1e3) / 1e3 : value,
    ),
  );
}

async function run(exported: ExportedModel, example: Example, maxTokens: number): Promise<TestRunOutcome> {
  const { name, source, suggestedPrompt: messages, temperature, seed, tools, schema } = example;
  const guest = startNodeGuest(source);
  const { about } = guest.compiled;
  const onKill = () => guest.kill();
  const host = await connectModHost(guest, {
    name,
    about,
    seed: 5,
    tokenizerData,
    deadlines: patient,
    onKill,
  });
  exported.forget();
  try {
    // Listed tokens give the tokens of whole rows where cut-offs leave no others.
    const sampling = temperature > 0 ? { topK: 10 } : {};
    const settings = { messages, maxTokens, temperature, sampling, seed, tools, schema };
    return await asRealTestModel(exported).run(settings, [host]);
  } finally {
    host.dispose();
    guest.kill();
  }
}

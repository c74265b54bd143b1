/** The loop on a model whose logits stay on the GPU, against the same model whose logits are brought here. */
import type * as Ort from "onnxruntime-web";
import { KvCache } from "../../src/core/decoder/kv-cache/kv-cache.ts";
import { decode } from "../../src/core/decoder/loop/decode.ts";
import { languageModelConformance } from "../../src/core/decoder/ports/language-model.conformance.ts";
import type { LanguageModel } from "../../src/core/decoder/ports/language-model.ts";
import type { LoopEvent, ModHost } from "../../src/core/decoder/ports/mod-host.ts";
import type { Action } from "../../src/core/sdk/action.ts";
import { defaultSampling, type SamplingSettings } from "../../src/core/sdk/request.ts";
import type { Tokenizer } from "../../src/core/sdk/tokenizer.ts";
import { plainFormat } from "../../src/core/tools/leading-object.ts";
import { readRequestFormat } from "../../src/core/tools/request-format.ts";
import { createRequestFormatHost } from "../../src/core/tools/request-host.ts";
import type { TraceRecord } from "../../src/core/trace/format/format.ts";
import { createDecoderModel } from "../../src/runtime/engine/graph/decoder-model.ts";
import { passCostOnWebGpu } from "../../src/runtime/engine/graph/pass-cost.ts";
import { parseModel } from "../../src/runtime/engine/onnx/codec.ts";
import { inspectGraph } from "../../src/runtime/engine/onnx/inspect.ts";
import { loadWebGpuRuntime } from "../../src/runtime/engine/ort/runtime.ts";
import { createWebGpuRunner } from "../../src/runtime/engine/webgpu/webgpu-runner.ts";
import { createOurDevice } from "./our-device.ts";

export interface RowsRequest {
  readonly name: string;
  readonly sampling: Partial<SamplingSettings>;
  /** The mod's edit: none, the tokens that it sees, a mask, or a forced span; `back`: it removes a token that the next pass has read; `circle`: it makes the text repeat; `format`: the built-in mod enforces a JSON schema. */
  readonly mod: "none" | "listed" | "mask" | "force" | "back" | "circle" | "format";
  readonly maxTokens: number;
  /** The request is cancelled after so many tokens, and made once more with the same KV cache. */
  readonly cancelAfter?: number;
  /** See DecodePorts. */
  readonly drafts?: boolean;
}

export interface RowsOutcome {
  readonly records: readonly TraceRecord[];
  readonly tokens: number;
  /** Bytes read back from the GPU. */
  readonly bytes: number;
  /** Runs of the graph, and those of them that began before their token was read back. */
  readonly runs: number;
  readonly runsAhead: number;
}

async function bytesOf(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The bytes that any buffer of the page was mapped for reading. */
let mapped = 0;
const mapAsync = GPUBuffer.prototype.mapAsync;
GPUBuffer.prototype.mapAsync = function (this: GPUBuffer, mode, offset = 0, size = this.size - offset) {
  mapped += size;
  return mapAsync.call(this, mode, offset, size);
};

/** Runs of a graph: all, and those whose token lies on the GPU. */
const runs = { all: 0, ahead: 0 };

async function countRuns(): Promise<void> {
  const { ort } = await loadWebGpuRuntime();
  const { create } = ort.InferenceSession;
  const counting = async (...parts: Parameters<typeof create>) => {
    const session = await create.apply(ort.InferenceSession, parts);
    const run = session.run.bind(session) as (...given: unknown[]) => ReturnType<typeof session.run>;
    return Object.assign(session, {
      run(feeds: Ort.InferenceSession.FeedsType, ...rest: unknown[]) {
        runs.all += 1;
        if ((feeds.input_ids as Ort.Tensor).location === "gpu-buffer") runs.ahead += 1;
        return run(feeds, ...rest);
      },
    });
  };
  ort.InferenceSession.create = counting as typeof create;
}

let opened: Promise<LanguageModel> | null = null;
let openedDevice: GPUDevice | null = null;

async function open(folder: string): Promise<LanguageModel> {
  await countRuns();
  const device = await createOurDevice();
  openedDevice = device;
  const [graph, data, config] = await Promise.all(
    ["onnx/model.onnx", "onnx/model.onnx_data", "config.json"].map((file) => bytesOf(folder + file)),
  );
  const files = {
    graph: graph as Uint8Array,
    summary: inspectGraph(parseModel(graph as Uint8Array)),
    externalData: new Map([["model.onnx_data", data as Uint8Array]]),
    config: { ...JSON.parse(new TextDecoder().decode(config)), max_position_embeddings: 200 },
    file: "model.onnx",
    endOfSequence: [],
  };
  const runner = await createWebGpuRunner({ ...files, cacheRows: 256, logitsStay: true }, device);
  const passCost = passCostOnWebGpu(files.summary);
  return createDecoderModel(runner, { ...files, passCost, isPassCostAssumed: true });
}

const codes = (text: string) => new TextEncoder().encode(text);

/** Tokens below 128 are ASCII characters, token 0 the end; the others are words of letters, half of them after a space. */
function words(vocabularySize: number): Tokenizer {
  const textOf = (token: number) => {
    if (token < 128) return token === 0 ? "" : String.fromCharCode(token);
    const letters = (n: number): string =>
      (n < 26 ? "" : letters(Math.floor(n / 26))) + String.fromCharCode(97 + (n % 26));
    return (token % 2 === 0 ? " " : "") + letters(token >> 1);
  };
  return {
    vocabSize: vocabularySize,
    eosTokenIds: [0],
    encode: (text) => Array.from(codes(text), (byte) => byte & 127),
    decode: (tokens) => tokens.map(textOf).join(""),
    tokenText: textOf,
    tokenBytes: (token) => codes(textOf(token)),
  };
}

/** A string of any words, so that nothing is forced and masks are large; then numbers. */
const schema = {
  type: "object",
  properties: { story: { type: "string" }, numbers: { type: "array", items: { type: "number" } } },
  required: ["story", "numbers"],
  additionalProperties: false,
};

function formatHost(tokenizer: Tokenizer): ModHost {
  const responseFormat = { type: "json_schema", json_schema: { name: "story", schema, strict: true } };
  const request = readRequestFormat({ responseFormat });
  const host = createRequestFormatHost({ request, tokenizer, format: plainFormat, modNames: [] });
  if (!host) throw new Error("The request has a format.");
  return host;
}

function modOf(kind: RowsRequest["mod"], tokenizer: Tokenizer): ModHost[] {
  const { vocabSize: vocabularySize } = tokenizer;
  if (kind === "none") return [];
  if (kind === "format") return [formatHost(tokenizer)];
  if (kind === "back") return [backHost()];
  const words = Math.ceil(vocabularySize / 32);
  const answer = (event: Extract<LoopEvent, { type: "forwardPass" }>): Action => {
    const { tokens } = event.top?.(64) ?? { tokens: [] };
    if (kind === "listed") {
      const [first = 0, second = 0, third = 0] = tokens;
      return { type: "adjustLogits", logits: { ban: [first], add: { [third]: 0.75, [second]: -0.25 } } };
    }
    if (kind === "mask") {
      const mask = new Uint32Array(words).map((_, word) => (word % 3 === event.step % 3 ? 0 : 0xffffff0f));
      return { type: "adjustLogits", logits: { mask, ban: [5] } };
    }
    if (kind === "circle")
      return { type: "adjustLogits", logits: { only: [[7, 77, 777][event.step % 3] ?? 0] } };
    if (event.step % 6 !== 2) return { type: "noop" };
    return { type: "forceTokens", tokens: [7, 77, 777, 5_001] };
  };
  return [
    {
      name: kind,
      handles: new Set(["forwardPass"]),
      needs: { topK: 64, logits: false },
      ask: async (event) => ({
        action: event.type === "forwardPass" ? answer(event) : { type: "noop" },
        fault: null,
        console: [],
      }),
      dispose() {},
    },
  ];
}

/** Silent for eight tokens, so that the pass after the ninth does not wait for its answer; then it takes that token back. */
function backHost(): ModHost {
  let asked = 0;
  const answer = (): Action =>
    ++asked === 9 ? { type: "backtrack", count: 1, tokens: [7] } : { type: "noop" };
  return {
    name: "back",
    handles: new Set(["added"]),
    needs: { topK: 0, logits: false },
    ask: async () => ({ action: answer(), fault: null, console: [] }),
    dispose() {},
  };
}

/** The model as one that brings all logits. */
function bringing(model: LanguageModel): LanguageModel {
  return {
    vocabularySize: model.vocabularySize,
    capacity: model.capacity,
    promptPassTokens: model.promptPassTokens,
    endOfSequence: model.endOfSequence,
    get length() {
      return model.length;
    },
    forward: (tokens, rows) => model.forward(tokens, rows),
    truncate: (length) => model.truncate(length),
    dispose: () => model.dispose(),
  };
}

/** The model as one that begins no pass before it is asked for. */
function waiting(model: LanguageModel): LanguageModel {
  const { forwardRows, uploadRow } = model;
  if (!forwardRows || !uploadRow) throw new Error("Rows do not stay on the device.");
  return {
    ...bringing(model),
    get length() {
      return model.length;
    },
    forwardRows: (tokens, rows, temperature) => forwardRows(tokens, rows, temperature),
    uploadRow,
  };
}

async function run(model: LanguageModel, request: RowsRequest): Promise<RowsOutcome> {
  model.truncate(0);
  const kvCache = new KvCache(model);
  if (request.cancelAfter !== undefined) await runOnce(kvCache, request, new AbortController());
  return runOnce(kvCache, request);
}

async function runOnce(
  kvCache: KvCache,
  request: RowsRequest,
  cancel?: AbortController,
): Promise<RowsOutcome> {
  const { model } = kvCache;
  const records: TraceRecord[] = [];
  const { sampling, mod, maxTokens, cancelAfter } = request;
  const tokenizer = words(model.vocabularySize);
  const mods = modOf(mod, tokenizer);
  let clock = 0;
  mapped = 0;
  Object.assign(runs, { all: 0, ahead: 0 });
  const finished = await decode(
    {
      requestId: "r",
      prompt: [11, 222, 3_333, 44],
      messages: [],
      tools: [],
      toolChoice: "auto",
      parallelToolCalls: true,
      responseFormat: null,
      maxTokens,
      stop: [],
      seed: 7,
      onModError: "stop",
      sampling: { ...defaultSampling, ...sampling },
      model: {
        id: "",
        revision: null,
        file: "",
        device: "webgpu",
        adapter: "",
        vocabularySize: model.vocabularySize,
      },
      modSources: mods.map(() => ({ source: "" })),
      deadlines: null,
      createdAt: 0,
    },
    {
      kvCache,
      tokenizer,
      mods,
      signal: cancel?.signal,
      promptLookup: request.drafts,
      record(record) {
        records.push(record);
        if (record.type === "added" && record.step === cancelAfter) cancel?.abort();
      },
      now: () => clock++,
    },
  );
  return { records, tokens: finished.step, bytes: mapped, runs: runs.all, runsAhead: runs.ahead };
}

const rows = {
  /** The request with rows that stay, and with rows that are brought. */
  async both(folder: string, request: RowsRequest): Promise<{ stay: RowsOutcome; brought: RowsOutcome }> {
    opened ??= open(folder);
    const model = await opened;
    return { stay: await run(model, request), brought: await run(bringing(model), request) };
  },

  /** Milliseconds a token of a greedy request, for each round: with passes that begin before their token was read back, and without. */
  async pace(
    folder: string,
    maxTokens: number,
    rounds: number,
  ): Promise<{ ahead: number[]; waited: number[] }> {
    opened ??= open(folder);
    const model = await opened;
    const times = { ahead: [] as number[], waited: [] as number[] };
    const request = { name: "pace", sampling: { temperature: 0 }, mod: "none", maxTokens } as const;
    for (let round = -1; round < rounds; round++) {
      for (const kind of ["ahead", "waited"] as const) {
        const startMs = performance.now();
        const { tokens } = await run(kind === "ahead" ? model : waiting(model), request);
        // The first round is for the shaders.
        if (round >= 0) times[kind].push((performance.now() - startMs) / tokens);
      }
    }
    return times;
  },

  /** The device is lost while a pass runs that nobody has asked for: what the next call says, and errors that nobody heard. */
  async lostAhead(
    folder: string,
  ): Promise<{ readonly message: string; readonly unheard: readonly string[] }> {
    opened ??= open(folder);
    const model = await opened;
    const unheard: string[] = [];
    addEventListener("unhandledrejection", ({ reason }) => unheard.push(String(reason)));
    model.truncate(0);
    const [row] = (await model.forwardRows?.([11], 1, 1, "mostLikely")) ?? [];
    if (!row || row instanceof Float32Array || !openedDevice) throw new Error("No row is left on a device.");
    openedDevice.destroy();
    const next = model.forwardRows?.([row.summary.tokens[0] ?? 0], 1, 1, "mostLikely");
    const message = await (next ?? Promise.resolve()).then(() => "", String);
    await model.dispose();
    await new Promise((resolve) => setTimeout(resolve, 0));
    return { message, unheard };
  },

  /** Failures of the checks of the model's passes. */
  async conformance(folder: string): Promise<string[]> {
    opened ??= open(folder);
    const model = await opened;
    const failures: string[] = [];
    for (const check of languageModelConformance("rows", () => Promise.resolve(model), { tolerance: 1e-3 })) {
      if (!/stay where they are|expected next|are appended/.test(check.name)) continue;
      await check.run().catch((error: unknown) => failures.push(`${check.name}: ${String(error)}`));
    }
    return failures;
  },
};

export type RowsPage = typeof rows;
Object.assign(window, { rows });

/** The engine's side of a session in Node, on the bundled model: requests with tools and response formats, one after another. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import { type Mod, mod } from "../../../core/sdk/mod.ts";
import { defaultSampling, type ToolDefinition } from "../../../core/sdk/request.ts";
import type { FinishedRecord, TraceRecord } from "../../../core/trace/format/format.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { noCatchUp } from "../../../core/trace/testing/trace-builder.ts";
import { loadModel } from "../../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../engine/testing/model-hub.ts";
import { startTrustedGuest } from "../../sandbox/trusted-guest.ts";
import type { EngineMessage, SandboxedMod } from "../shared/protocol.ts";
import type { RunRequest } from "../shared/requests.ts";
import { nextEventLoopTurn } from "../testing/engine-thread.ts";
import { Engine } from "./engine.ts";

let hub: ModelHub;
let engine: Engine;
const messages: EngineMessage[] = [];
const bugs: unknown[] = [];
/** Sending the next message of this type fails. */
let unsendable: EngineMessage["type"] | null = null;
const waiting = new Set<() => void>();

beforeAll(async () => {
  hub = await startModelHub({ "midtoken/stories260k": "public/models/stories260k" });
  engine = new Engine({
    loadModel,
    send: (message) => {
      if (message.type === unsendable) {
        unsendable = null;
        throw new DOMException("The message could not be cloned.", "DataCloneError");
      }
      messages.push(message);
      for (const wake of waiting) wake();
      waiting.clear();
    },
    turn: nextEventLoopTurn,
    now: () => performance.now(),
    date: () => 0,
    reportBug: (error) => bugs.push(error),
  });
  engine.receive({
    type: "load",
    id: 1,
    model: {
      id: "stories260k",
      url: hub.url("midtoken/stories260k"),
      revision: null,
      dtype: { webgpu: "fp32", wasm: "fp32" },
    },
    device: "wasm",
  });
  await until((message) => message.type === "loaded" || message.type === "loadFailed");
});
afterAll(() => hub?.close());

async function until(found: (message: EngineMessage) => boolean): Promise<void> {
  while (!messages.some(found)) {
    await new Promise<void>((resolve) => waiting.add(resolve));
  }
}

let count = 0;

/** The records of a request, or the reason why it was refused. */
async function run(
  fields: Partial<RunRequest>,
  guests: readonly SandboxedMod[] = [],
): Promise<readonly TraceRecord[] | string> {
  const requestId = `request-${++count}`;
  const request: RunRequest = {
    requestId,
    sampling: { ...defaultSampling, temperature: 1 },
    maxTokens: 200,
    stop: [],
    seed: 3,
    messages: [{ role: "user", content: "Once upon a time" }],
    onModError: "stop",
    mods: [],
    ...fields,
  };
  engine.receive({ type: "run", request, guests, commands: [] });
  const mine = (message: EngineMessage) => "requestId" in message && message.requestId === requestId;
  await until(
    (message) =>
      mine(message) &&
      (message.type === "runFailed" ||
        (message.type === "records" && message.records.at(-1)?.type === "finished")),
  );
  const failed = messages.find((message) => mine(message) && message.type === "runFailed");
  if (failed?.type === "runFailed") return failed.message;
  return messages.flatMap((message) => (message.type === "records" && mine(message) ? message.records : []));
}

const parts = (records: readonly TraceRecord[] | string) => {
  if (typeof records === "string") throw new Error(records);
  return { request: records[0] as RequestRecord, finished: records.at(-1) as FinishedRecord };
};

const tool: ToolDefinition = {
  type: "function",
  function: {
    name: "feed",
    parameters: {
      type: "object",
      properties: { animal: { enum: ["dog", "cat"] }, often: { type: "boolean" } },
      required: ["animal", "often"],
      additionalProperties: false,
    },
  },
};
const schema = {
  type: "object",
  properties: { animal: { enum: ["dog", "cat"] }, ok: { type: "boolean" } },
  required: ["animal", "ok"],
  additionalProperties: false,
};

test("a response format is kept by a built-in mod that is in the trace", async () => {
  const responseFormat = { type: "json_schema" as const, json_schema: { name: "story", schema } };
  const { request, finished } = parts(await run({ responseFormat }));
  expect(finished).toMatchObject({ reason: "stop", error: null });
  expect(Object.keys(JSON.parse(finished.text))).toEqual(["animal", "ok"]);
  expect(request.mods.map(({ name }) => name)).toEqual(["response_format"]);
  expect(request).toMatchObject({ responseFormat: JSON.stringify(responseFormat), tools: [] });
  expect(request.mods.every(isRequestFormatMod)).toBe(true);
});

test("the same request again gives the same answer", async () => {
  const fields = { tools: [tool], toolChoice: "required" as const, parallelToolCalls: false };
  const [first, second] = [parts(await run(fields)), parts(await run(fields))];
  expect(first.finished).toMatchObject({ reason: "tool_calls", error: null });
  expect(first.request).toMatchObject({ ...fields, tools: [JSON.stringify(tool)], responseFormat: null });
  expect(second.finished.toolCalls).toEqual(first.finished.toolCalls);
});

test("several requests that wait for one another are kept to their own formats", async () => {
  const answers = await Promise.all([
    run({ tools: [tool], toolChoice: "required", parallelToolCalls: false }),
    run({ responseFormat: { type: "json_object" }, maxTokens: 20 }),
    run({ maxTokens: 5 }),
    run({ tools: [tool], toolChoice: { type: "function", function: { name: "feed" } } }),
  ]);
  const finished = answers.map((records) => parts(records).finished);
  expect(finished[0]?.reason).toBe("tool_calls");
  expect(finished[1]?.text.startsWith("{")).toBe(true);
  expect(finished[2]).toMatchObject({ reason: "length", toolCalls: [] });
  expect(finished[3]?.toolCalls.map((call) => call.function.name)).toEqual(["feed"]);
  expect(parts(answers[2] ?? "").request.mods).toEqual([]);
});

describe("refused before it starts", () => {
  test.each<[string, object, RegExp]>([
    [
      "a wrong tool",
      { tools: [{ type: "function", function: { name: "a b" } }] },
      /^tools\[0\]\.function\.name is "a b"/,
    ],
    [
      "an unknown function",
      { tools: [tool], toolChoice: { type: "function", function: { name: "x" } } },
      /the tools are "feed"/,
    ],
    [
      "a schema that is wrong",
      { responseFormat: { type: "json_schema", json_schema: { name: "s", schema: { minLength: -1 } } } },
      /^response_format\.json_schema\.schema, #\/minLength/,
    ],
  ])("%s", async (_what, fields, message) => {
    expect(await run(fields as Partial<RunRequest>)).toMatch(message);
  });
});

describe("limits of a request", () => {
  test("its budget of forward passes", async () => {
    const { request, finished } = parts(await run({ maxTokens: 50, budget: 3 }));
    expect([request.budget, finished.reason]).toEqual([3, "budget"]);
  });

  test.each<[string, object, string]>([
    [
      "prompt lookup that is no yes or no",
      { promptLookup: "always" as unknown as boolean },
      'The request\'s "promptLookup" is "always": give true or false, or leave "promptLookup" out.',
    ],
    [
      "a budget below zero",
      { budget: -1 },
      'The request\'s "budget" is -1: give a whole number of forward passes from 1 to 10000000.',
    ],
    [
      "a deadline of nothing",
      { deadlines: { event: 0 } },
      "The request's deadlines.event is 0: it must be a whole number of milliseconds from 1 to 600000.",
    ],
    [
      "a deadline that there is not",
      { deadlines: { sampled: 5 } },
      'The request has an unknown deadline "sampled". The known names are event, load, prefilled.',
    ],
    [
      "an export that can have no such name",
      { mods: [{ name: "m", source: "", entry: "a b" }] },
      'The "entry" of the mod "m" is "a b": give the name of an export, or leave "entry" out to use the default export.',
    ],
  ])("%s is refused", async (_what, fields, message) => {
    expect(await run(fields as Partial<RunRequest>)).toBe(message);
  });
});

describe("a recorded request is verified without its model", () => {
  const reference = () => ({
    id: "stories260k",
    url: hub.url("midtoken/stories260k"),
    revision: null,
    dtype: { webgpu: "fp32", wasm: "fp32" },
  });

  /** The result of verification, or its error, from an engine that never loads a model. */
  function verified(records: readonly TraceRecord[], model = reference()): Promise<unknown> {
    return new Promise((resolve) => {
      const other = new Engine({
        loadModel: () => Promise.reject(new Error("No model is to be loaded.")),
        send(message) {
          if (message.type === "verified") resolve(message.verification);
          if (message.type === "runFailed") resolve(message.message);
        },
        turn: nextEventLoopTurn,
        now: () => performance.now(),
        date: () => 0,
        reportBug: resolve,
      });
      const request = { requestId: "verify", records, mods: [], model };
      other.receive({ type: "verify", request, guests: [] });
    });
  }

  async function recordsOf(fields: Partial<RunRequest>): Promise<readonly TraceRecord[]> {
    const records = await run(fields);
    if (typeof records === "string") throw new Error(records);
    return records;
  }

  test("what it comes to is as recorded, or the first difference", async () => {
    const records = await recordsOf({ maxTokens: 12 });
    expect(await verified(records)).toEqual({ calls: 0, difference: null, missing: null });
    const [request, ...rest] = records;
    const shorter = [{ ...(request as RequestRecord), maxTokens: 5 }, ...rest];
    expect(await verified(shorter)).toMatchObject({
      difference: {
        now: "the request ends (length)",
        where: "at step 5",
        recorded: "the model ran a forward pass",
      },
    });
  });

  test("what keeps an answer to its format asks which tokens are still allowed, which no record says: that is said", async () => {
    const records = await recordsOf({ maxTokens: 30, responseFormat: { type: "json_object" } });
    expect(await verified(records)).toMatchObject({
      calls: expect.any(Number),
      missing: {
        step: 0,
        message: expect.stringContaining(
          "asks which tokens are still allowed. Traces do not store this list",
        ),
      },
    });
  });

  test.each<[string, (records: readonly TraceRecord[]) => Promise<unknown>, RegExp]>([
    [
      "files that are not there",
      (records) => verified(records, { ...reference(), url: hub.url("midtoken/none") }),
      /config\.json/,
    ],
    [
      "no request",
      (records) => verified(records.slice(1)),
      /^The recorded run is incomplete: its settings and prompt are missing, so it cannot be checked\.$/,
    ],
    ["no prompt", (records) => verified(records.slice(0, 1)), /ended before its prompt was read/],
    [
      "a request that none can be",
      ([request, ...rest]) => verified([{ ...(request as RequestRecord), seed: 0.5 }, ...rest]),
      /The request's seed is 0\.5/,
    ],
  ])("with %s, it says so", async (_, ask, message) => {
    expect(await ask(await recordsOf({ maxTokens: 3 }))).toMatch(message);
  });
});

describe("a request that branches off another one", () => {
  test("takes over what came before, takes the other token, and needs one pass for it", async () => {
    const records = await run({ maxTokens: 40 });
    if (typeof records === "string") throw new Error(records);
    const passes = [...records.keys()].filter((place) => records[place]?.type === "forwardPass");
    const at = passes[30] as number;
    const branched = await run({ maxTokens: 40, branchPoint: { records, at, token: 300 } });
    const { request, finished } = parts(branched);
    expect(request.branch).toEqual({
      requestId: parts(records).request.requestId,
      index: 30,
      isChosen: true,
      ...noCatchUp,
    });
    expect(branched.slice(1, at)).toEqual(records.slice(1, at));
    const own = branched.slice(at) as readonly TraceRecord[];
    expect(own[0]).toMatchObject({ type: "forwardPass", tokenCount: 1, step: 30 });
    expect(own.find(({ type }) => type === "sampled")).toMatchObject({ token: 300, step: 30 });
    expect(finished.usage.forwardPasses).toBe(10);
    expect(finished.reason).toBe("length");
  });

  test("with other mods, what keeps the answer to its format is told what stands there, and goes on with it", async () => {
    const enumerated = { type: "object", properties: { animal: { enum: ["dog", "cat"] } } };
    const schema = { ...enumerated, required: ["animal"], additionalProperties: false };
    const responseFormat = { type: "json_schema", json_schema: { name: "answer", schema } } as const;
    const records = await run({ maxTokens: 30, responseFormat });
    if (typeof records === "string") throw new Error(records);
    const passes = [...records.keys()].filter((place) => records[place]?.type === "forwardPass");
    const at = passes.at(-1) as number;
    const branchPoint = { records, at, token: null, follows: [] };
    const branched = await run({ maxTokens: 30, responseFormat, branchPoint });
    const { request, finished } = parts(branched);
    expect(request.branch).toMatchObject({ caughtUp: at, parentMods: 0, difference: null });
    expect(finished.text).toBe(parts(records).finished.text);
    expect(JSON.parse(finished.text)).toHaveProperty("animal");
  });

  test.each<[string, (records: readonly TraceRecord[]) => object, string]>([
    [
      "no request",
      () => ({ records: [] }),
      "The run to branch from has no recorded request: run it again, then branch.",
    ],
    [
      "another model",
      ([request, ...rest]) => ({
        records: [
          { ...request, model: { ...(request as RequestRecord).model, id: "other", file: "" } },
          ...rest,
        ],
      }),
      "The run to branch from used other, but stories260k (onnx/model.onnx) is loaded: choose the run's model, then branch again.",
    ],
    [
      "a place beyond the end",
      () => ({ at: 10_000 }),
      'The branch point\'s "at" is 10000: give the index of a record, from 1 to ',
    ],
    [
      "more than was forced",
      () => ({ kept: 1 }),
      "The branch preserves 1 forced tokens of record 3, which forced 0: give a number from 0 to 0.",
    ],
    [
      "a token that there is not",
      () => ({ token: 512 }),
      "The branch begins with token 512: it must be a whole number below 512.",
    ],
    [
      "a record of tokens that the model does not have",
      (records) => ({
        records: records.map((record) =>
          record.type === "added" ? { ...record, tokens: [{ token: 512, text: "?" }] } : record,
        ),
      }),
      "The run to branch from used another model: it has token 512, but stories260k (onnx/model.onnx) has only 512 tokens.",
    ],
    [
      "a mod that follows on nothing",
      () => ({ follows: [0] }),
      'The branch point\'s "follows" has 1 entry, but the branch has 0 mods: give one entry for each mod.',
    ],
  ])("%s is refused", async (_, change, message) => {
    const records = await run({ maxTokens: 3 });
    if (typeof records === "string") throw new Error(records);
    const branchPoint = { records, at: 3, token: null, ...change(records) };
    expect(await run({ maxTokens: 3, branchPoint })).toContain(message);
  });
});

describe("a prompt of 34,000 characters, on a model whose context holds 512 tokens", () => {
  const messages = [{ role: "user" as const, content: "Once upon a time ".repeat(2_000) }];

  async function runWith(one: Mod) {
    const guest = startTrustedGuest(one, { name: "one", source: "" });
    // The reads of a source that does not name `getConversation` but handles `prefilled`.
    const reads = { ...guest.about.reads, conversation: false };
    try {
      const mods = [{ name: "one", source: "" }];
      return await run({ messages, mods }, [{ ...guest, about: { ...guest.about, reads } }]);
    } finally {
      guest.kill();
    }
  }

  test("with a mod that does not hear of the prompt: refused by its beginning, before the page gets its tokens", async () => {
    const listens = mod({ added: (_event, actions) => actions.noop() });
    expect(await runWith(listens)).toMatch(
      /^The prompt is too long: the first [\d,]+ of its 34,003 characters are /,
    );
  });

  test("a mod that hears of the prompt may shorten it", async () => {
    const shortens = mod({
      prefilled: ({ tokens }, actions) => actions.adjustPrefill(tokens.slice(0, 20)),
    });
    const { finished } = parts(await runWith(shortens));
    expect(finished).toMatchObject({ error: null, usage: { promptTokens: 20 } });
  });
});

test("the prompt that the page shows has the tools in it", async () => {
  const ask = async (id: number, toolChoice: "auto" | "none") => {
    const prompt = { messages: [{ role: "user" as const, content: "Hi" }], tools: [tool], toolChoice };
    engine.receive({ type: "tokenize", id, prompt });
    await until((message) => message.type === "tokenized" && message.id === id);
    const found = messages.find((message) => message.type === "tokenized" && message.id === id);
    return found?.type === "tokenized" ? found.tokens.map(({ text }) => text).join("") : "";
  };
  expect(await ask(100, "auto")).toContain("feed");
  expect(await ask(101, "none")).not.toContain("feed");
});

test("a message that cannot be sent fails its own request, and the next one runs", async () => {
  unsendable = "records";
  expect(await run({ maxTokens: 5 })).toBe("The message could not be cloned.");
  expect(parts(await run({ maxTokens: 5 })).finished.reason).toBe("length");
});

test("a failure that cannot be told is reported, and the next request runs", async () => {
  unsendable = "runFailed";
  engine.receive({
    type: "run",
    request: { tools: "none" } as unknown as RunRequest,
    guests: [],
    commands: [],
  });
  expect(parts(await run({ maxTokens: 5 })).finished.reason).toBe("length");
  expect(bugs).toMatchObject([{ name: "DataCloneError" }]);
});

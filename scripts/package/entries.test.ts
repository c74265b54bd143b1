/** The entries of the packed tarball against each other: whatever one makes, all others recognise. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { NoSuchModelError } from "@ai-sdk/provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packTarball } from "./build.ts";
import { copyBuiltPackage } from "./built-package.ts";
import { root, subpaths } from "./subpaths.ts";

type Main = typeof import("../../src/package/api/index.ts");
type Mod = typeof import("../../src/core/sdk/index.ts");
type Flow = typeof import("../../src/core/sdk/flow.ts");
type Masks = typeof import("../../src/core/masks/index.ts");
type Trace = typeof import("../../src/core/trace/index.ts");
type OpenAi = typeof import("../../src/package/http/index.ts");
type AiSdk = typeof import("../../src/package/ai-sdk/index.ts");
type Testing = typeof import("../../src/package/testing/index.ts");
type Node = typeof import("../../src/package/node/index.ts");
type Engine = Awaited<ReturnType<Node["createNodeEngine"]>>;

const place = mkdtempSync(join(tmpdir(), "midtoken-entries-"));
const installed = join(place, "app/node_modules");
const model = resolve(root, "public/models/stories260k");
const { resolve: find } = createRequire(join(installed, "app.js"));

/** An entry as an app imports it: "./node", or "." for `midtoken`. */
async function entry<Exports = Record<string, unknown>>(path: string): Promise<Exports> {
  return await import(pathToFileURL(find(`midtoken${path.slice(1)}`)).href);
}

beforeAll(async () => {
  await copyBuiltPackage(join(place, "package"));
  mkdirSync(join(installed, "midtoken"), { recursive: true });
  const tarball = packTarball(join(place, "package"));
  execFileSync("tar", ["-xzf", tarball, "-C", join(installed, "midtoken"), "--strip-components=1"]);
  mkdirSync(join(installed, "@ai-sdk"));
  for (const peer of ["react", "@ai-sdk/provider"])
    symlinkSync(resolve(root, "node_modules", peer), join(installed, peer), "dir");
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const paths = subpaths.map(({ path }) => path);
const pairs = paths.flatMap((one) => paths.map((other) => [one, other] as const));

test.each(pairs)("what %s and %s both export is the same value", async (one, other) => {
  const [ours, theirs] = [await entry(one), await entry(other)];
  const names = Object.keys(ours).filter((name) => name in theirs);
  expect(names.filter((name) => ours[name] !== theirs[name])).toEqual([]);
});

/** An engine of each entry that makes one in Node, with its model loaded. */
const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  "./node": async () =>
    (await entry<Node>("./node")).createNodeEngine({ model, dtype: "fp32", openLayers: true }),
  "./testing": async () => {
    const { createScriptedModel, createTestEngine } = await entry<Testing>("./testing");
    return createTestEngine({ models: createScriptedModel({ id: "stories260k", script: "Hello there." }) });
  },
};

const post = (body: object): Request =>
  new Request("http://app/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe.each(Object.keys(engines))("an engine of %s", (path) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = (await engines[path]?.()) as Engine;
  });
  afterAll(() => engine?.dispose());
  const messages = [{ role: "user" as const, content: "Once upon a time" }];
  const ask = (fields: object) =>
    engine.chat.completions.create({ model: "stories260k", messages, max_tokens: 8, ...fields });

  const refused = [
    { what: "an unknown model", fields: { model: "nobody" }, status: 404, code: "model_not_found" },
    { what: "an unknown mod", fields: { model: "stories260k/no" }, status: 404, code: "mod_not_found" },
    { what: "a wrong field", fields: { temperature: "hot" }, status: 400, code: "invalid_value" },
    {
      what: "a schema that cannot be met",
      fields: {
        response_format: { type: "json_schema", json_schema: { name: "x", schema: { $ref: "#/no" } } },
      },
      status: 400,
      code: null,
    },
  ] as const;

  test.each(refused)("$what is its own status over the fetch handler", async ({ fields, status, code }) => {
    const { createFetchHandler } = await entry<OpenAi>("./openai");
    const response = await createFetchHandler(engine)(post({ model: "stories260k", messages, ...fields }));
    const answered = (await response?.json()) as { error: { code: string } };
    expect([response?.status, code && answered.error.code]).toEqual([status, code]);
  });

  test("a prompt that is too long is a 400 over the fetch handler", async () => {
    const { createFetchHandler } = await entry<OpenAi>("./openai");
    const long = [{ role: "user", content: "Once upon a time ".repeat(2000) }];
    const body = { model: "stories260k", messages: long, max_tokens: 4 };
    const response = await createFetchHandler(engine)(post(body));
    expect(response?.status).toBe(400);
  });

  test.each([".", "./openai"])("its errors are instances of the ApiError of %s", async (other) => {
    const { ApiError } = await entry<Main>(other);
    await expect(ask({ model: "nobody" })).rejects.toBeInstanceOf(ApiError);
  });

  test("the AI SDK's provider makes its errors errors of the AI SDK", async () => {
    const { createMidtoken } = await entry<AiSdk>("./ai-sdk");
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];
    const asked = createMidtoken(engine)("nobody").doGenerate({ prompt });
    await expect(asked).rejects.toSatisfy((error) => NoSuchModelError.isInstance(error));
  });

  test("it runs a trusted mod of ./mod, ./strategies, ./masks and ./flow, and its trace opens in ./trace", async () => {
    const { mod } = await entry<Mod>("./mod");
    const { jsonSchema } = await entry<Masks>("./masks");
    const { choices } = await entry<typeof import("../../src/core/sdk/strategies.ts")>("./strategies");
    const { flow, question, end } = await entry<Flow>("./flow");
    const mood = question({ name: "mood", prompt: " Mood: ", strategy: choices(["good"]) }).then(end());
    const number = question({ name: "number", prompt: " Number: ", strategy: jsonSchema({ const: 7 }) });
    engine.mods.registerTrusted(
      mod({ sampled: ({ step }, actions) => (step === 1 ? actions.forceTokens(" Max") : undefined) }),
      { name: "max" },
    );
    engine.mods.registerTrusted(flow({ entry: mood }).asMod(), { name: "mood" });
    engine.mods.registerTrusted(flow({ entry: number.then(end()) }).asMod(), { name: "number" });
    const contentOf = async (name: string) => {
      const answer = await ask({ model: `stories260k/${name}`, max_tokens: 24 });
      if (!("choices" in answer)) throw new Error("A stream came.");
      return { text: answer.choices[0]?.message.content, id: answer.midtoken?.request_ids[0] ?? "" };
    };
    const max = await contentOf("max");
    expect(max.text).toContain(" Max");
    expect((await contentOf("mood")).text).toContain("Mood: good");
    expect((await contentOf("number")).text).toContain("Number: 7");
    const { createTraceModel, encodeTraceFile, outputTextOf, openTrace } = await entry<Trace>("./trace");
    const recorded = await engine.requests.trace(max.id);
    const { trace } = await openTrace(await encodeTraceFile(recorded));
    const view = createTraceModel();
    view.append(trace.records);
    expect(outputTextOf(view)).toContain(" Max");
  });
});

/** `midtoken watch` against the shapes that OpenAI documents, and against a real server that has OpenAI's chat API. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../../scripts/remote/find-server.ts";
import { startLlamaServer } from "../../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../../scripts/remote/story-gguf.ts";
import { decodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { decodePermalink } from "../../../core/trace/file/permalink.ts";
import type { Trace, TraceRecord } from "../../../core/trace/format/format.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { runMidtoken } from "../testing/test-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-watch-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Service {
  readonly url: string;
  readonly seen: { readonly headers: IncomingHttpHeaders; readonly body: Record<string, unknown> }[];
  close(): void;
}
const open: Service[] = [];
afterEach(() => {
  for (const service of open.splice(0)) service.close();
});

/** @param events lines of data; null breaks the connection */
async function start(events: readonly (string | null)[], status = 200): Promise<Service> {
  const seen: { headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", async () => {
      let sent: Promise<unknown> = Promise.resolve();
      seen.push({ headers: request.headers, body: JSON.parse(text) });
      response.writeHead(status, {
        "content-type": status === 200 ? "text/event-stream" : "application/json",
      });
      for (const event of events) {
        if (event === null) {
          await sent;
          return response.destroy();
        }
        sent = new Promise((resolve) =>
          response.write(status === 200 ? `data: ${event}\n\n` : event, resolve),
        );
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const service = { url, seen, close };
  open.push(service);
  return service;
}

const chunk = (fields: object) =>
  JSON.stringify({
    id: "chatcmpl-123",
    object: "chat.completion.chunk",
    created: 1_694_268_190,
    model: "gpt-4o-mini",
    system_fingerprint: "fp_44709d6fcb",
    ...fields,
  });
const choice = (delta: object, logprobs: unknown, reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta, logprobs, finish_reason: reason }] });
const entry = (token: string, logprob: number, bytes: readonly number[] = [...Buffer.from(token)]) => ({
  token,
  logprob,
  bytes,
});
const step = (token: string, logprob: number, ...others: readonly (readonly [string, number])[]) => {
  const own = entry(token, logprob);
  const top = [own, ...others.map(([text, other]) => entry(text, other))];
  return choice({ content: token }, { content: [{ ...own, top_logprobs: top }], refusal: null });
};
const begin = choice({ role: "assistant", content: "", refusal: null }, { content: [], refusal: null });
const end = [
  choice({}, null, "stop"),
  chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }),
  "[DONE]",
];

const traceFile = join(folder, "watched.trace");
const watch = (url: string, ...words: readonly string[]) =>
  runMidtoken(
    [
      "watch",
      "--url",
      url,
      "--model",
      "gpt-4o-mini",
      "--prompt",
      "Say hello.",
      "--trace",
      traceFile,
      ...words,
    ],
    { environment: { MIDTOKEN_ENGINE_KEY: "secret-key" } },
  );
const saved = () => decodeTraceFile(new Uint8Array(readFileSync(traceFile)));
const only = <Type extends TraceRecord["type"]>({ records }: Trace, type: Type) =>
  records.filter((record): record is Extract<TraceRecord, { type: Type }> => record.type === type);

test("streamed log-probabilities become a timeline with bounds, a file and a link", async () => {
  const service = await start([begin, step("Hello", -0.3, ["Hi", -1.4]), step("!", -0.1, [".", -3]), ...end]);
  const settings = ["--system", "Be kind.", "--top", "2", "--max-tokens", "9", "--temperature", "0.5"];
  const ran = await watch(service.url, ...settings, "--top-p", "0.9", "--seed", "3", "--stop", "END");
  expect(ran).toMatchObject({ code: 0, out: "Hello!\n" });
  expect(service.seen[0]?.headers.authorization).toBe("Bearer secret-key");
  expect(service.seen[0]?.body).toEqual({
    model: "gpt-4o-mini",
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Say hello." },
    ],
    stream: true,
    stream_options: { include_usage: true },
    logprobs: true,
    top_logprobs: 2,
    temperature: 0.5,
    top_p: 0.9,
    max_tokens: 9,
    seed: 3,
    stop: ["END"],
  });
  const { trace, notes } = await saved();
  expect(notes).toEqual(["draws", "tokenIds"]);
  const model = createTraceModel();
  model.append(trace.records);
  expect(only(trace, "sampled").map(({ text, token, drawnBy }) => [text, token, drawnBy])).toEqual([
    ["Hello", -1, "server"],
    ["!", -1, "server"],
  ]);
  const [first] = only(trace, "forwardPass");
  expect(first?.before?.top.map(({ text }) => text)).toEqual(["Hello", "Hi"]);
  const rest = 1 - Math.exp(-0.3) - Math.exp(-1.4);
  expect(first?.before?.partial?.rest).toBeCloseTo(rest, 5);
  expect(first?.before?.partial?.mostEntropy).toBeGreaterThan(first?.before?.entropy ?? 9);
  expect(only(trace, "finished")[0]).toMatchObject({
    reason: "stop",
    text: "Hello!",
    usage: { promptTokens: 9, completionTokens: 2 },
  });
  const link = await decodePermalink(ran.errors.trim().split("\n").at(-1) ?? "");
  expect(only(link.trace, "added").map(({ tokens }) => tokens[0]?.text)).toEqual(["Hello", "!"]);
  for (const text of [ran.out, ran.errors, JSON.stringify(trace)]) {
    expect(text).not.toContain("secret-key");
    expect(text).not.toContain("127.0.0.1");
  }
});

test("a character that is spread over two tokens stands in the last of them", async () => {
  const part = (bytes: readonly number[], content: string) => {
    const own = entry(`\\x${bytes[0]?.toString(16)}`, -0.1, bytes);
    return choice({ content }, { content: [{ ...own, top_logprobs: [own] }] });
  };
  const service = await start([part([0xc3], ""), part([0xa9], "é"), ...end]);
  expect(await watch(service.url, "--no-link")).toMatchObject({ code: 0, out: "é\n", errors: "" });
  expect(only((await saved()).trace, "added").map(({ tokens }) => tokens[0]?.text)).toEqual(["", "é"]);
});

const hello = step("Hello", -0.3);
test.each<[string, readonly (string | null)[], number, RegExp, string]>([
  [
    "no log-probabilities",
    [choice({ content: "Hello" }, null), ...end],
    200,
    /choices\[0\]\.logprobs\.content is null, but the log-probabilities of the tokens \(many models and services give none\) was expected/,
    "",
  ],
  [
    "a refused key",
    ['{"error":{"message":"Incorrect API key provided"}}'],
    401,
    /refuses the key \(401\)/,
    "",
  ],
  [
    "an unknown model",
    ['{"error":{"message":"The model `gpt-9` does not exist"}}'],
    404,
    /has no \/chat\/completions \(404\): The model `gpt-9` does not exist\. Check the address/,
    "",
  ],
  [
    "too many requests",
    ['{"error":{"message":"Slow down"}}'],
    429,
    /too many requests \(429\): Slow down/,
    "",
  ],
  ["an error in the stream", [hello, '{"error":{"message":"Overloaded"}}'], 200, /Overloaded/, "Hello"],
  ["a stream that ends early", [hello], 200, /ended in the middle of a response/, "Hello"],
  ["a broken connection", [hello, null], 200, /ended in the middle of a response/, "Hello"],
  [
    "an event that is no JSON",
    [hello, "{"],
    200,
    /is not JSON\. Check that this is the address of a service with OpenAI/,
    "Hello",
  ],
  ["another shape", [hello, '{"choices":{}}'], 200, /choices is \{\}, but a list was expected/, "Hello"],
  [
    "a log-probability that is none",
    [step("Hello", 12.5), ...end],
    200,
    /choices\[0\]\.logprobs\.content\[0\]\.logprob is 12\.5/,
    "",
  ],
  [
    "another reason to end",
    [hello, choice({}, null, "content_filter")],
    200,
    /the reason content_filter/,
    "Hello",
  ],
])("%s: one sentence, and the text so far stays", async (_what, events, status, message, text) => {
  rmSync(traceFile, { force: true });
  const service = await start(events, status);
  const { code, errors } = await watch(service.url, "--no-link");
  expect(code).toBe(1);
  expect(errors).toMatch(message);
  if (text === "") return expect(() => readFileSync(traceFile)).toThrow(/ENOENT/);
  expect(only((await saved()).trace, "finished")[0]).toMatchObject({ reason: "error", text });
});

test.each([
  [["--url", "ftp://x", "--model", "m", "--prompt", "p"], 1, "must begin with http://"],
  [["--model", "m", "--prompt", "p"], 2, "--url"],
  [["--url", "http://127.0.0.1:1", "--model", "m", "--prompt", "p", "--top", "11"], 2, "--top"],
])("%j is refused", async (words, code, message) => {
  const ran = await runMidtoken(["watch", ...words]);
  expect(ran.code).toBe(code);
  expect(ran.errors).toContain(message);
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

test.runIf(isThere)("a real llama.cpp server, asked as a hosted service", async () => {
  const path = join(folder, "story.gguf");
  writeFileSync(path, storyGguf());
  const server = await startLlamaServer({ model: path });
  try {
    const ran = await watch(`${server.url}/v1`, "--max-tokens", "20", "--temperature", "0", "--no-link");
    expect(ran).toMatchObject({ code: 0, errors: "" });
    const { trace } = await saved();
    const [finished] = only(trace, "finished");
    expect(finished).toMatchObject({ reason: "length", lengthLimit: "maxTokens" });
    expect(`${finished?.text}\n`).toBe(ran.out);
    expect(only(trace, "added")).toHaveLength(20);
    const texts = only(trace, "added").map(({ tokens }) => tokens[0]?.text);
    expect(texts.join("").trim()).toBe(ran.out.trim());
    for (const { before } of only(trace, "forwardPass")) {
      expect(before?.top).toHaveLength(5);
      expect(before?.partial?.rest).toBeLessThan(1);
    }
  } finally {
    await server.stop();
  }
});

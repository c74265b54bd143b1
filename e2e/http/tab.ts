/** A tab of a site: it may serve OpenAI's API, and asks it with OpenAI's own client. Every function here is called from the spec. */
import OpenAI, { APIError } from "openai";
import { createEngine, type MidtokenEngine } from "../../src/package/api/index.ts";
import { type ServingTab, serveFromThisTab } from "../../src/package/http/index.ts";
import { openAiCases, runSuite, type SuiteResult } from "../../src/package/http/testing/openai-suite.ts";
import { registerModsOverHttp } from "../../src/package/http/testing/suite-mods.ts";
import { ask } from "../docs/http/ask.ts";
import { serve as serveAsDocumented } from "../docs/http/serve.ts";

const model = "stories260k";
const messages = [{ role: "user" as const, content: "Once upon a time" }];
const client = new OpenAI({
  apiKey: "none",
  baseURL: new URL("./v1", location.href).href,
  dangerouslyAllowBrowser: true,
  maxRetries: 0,
});
const modelOptions = { model: "/models/stories260k/", dtype: "fp32", device: "wasm" } as const;
let engine: MidtokenEngine | undefined;
let serving: ServingTab | undefined;

const modFile = (handlers: string) =>
  `import { mod } from "midtoken/mod";\nexport default mod({ ${handlers} });\n`;

/** Makes an engine and serves; answers once this tab leads, unless it is to wait for its turn. */
async function serve(scriptUrl: string, waitsForTurn = false): Promise<string> {
  engine ??= await createEngine(modelOptions);
  serving = await serveFromThisTab(engine, { scriptUrl });
  if (!waitsForTurn) await serving.leads;
  return serving.baseUrl;
}

/** Why it cannot serve. */
const serveError = (scriptUrl: string): Promise<string> =>
  serve(scriptUrl).then(
    () => "none",
    (error: Error) => error.message,
  );

function stop(): void {
  serving?.stop();
}

/** The engine of this tab alone. */
async function registerHere(name: string, handlers: string): Promise<void> {
  await engine?.mods.register({ name, source: modFile(handlers) });
}

async function suite(): Promise<readonly SuiteResult[]> {
  return runSuite(openAiCases, { client, model, mods: await registerModsOverHttp(client) });
}

interface Outcome {
  readonly text: string;
  readonly status: number | undefined;
  readonly code: string | null | undefined;
  readonly message: string;
}

function outcome(text: string, error?: unknown): Outcome {
  if (error === undefined) return { text, status: 200, code: null, message: "" };
  const { message } = error as Error;
  if (error instanceof APIError) return { text, message, status: error.status, code: error.code };
  return { text, message, status: undefined, code: undefined };
}

const longest = { midtoken: { holdback: 0, deadlines: { event: 120_000 } }, max_tokens: 8, temperature: 0 };
let running: Promise<Outcome> = Promise.resolve(outcome("nothing was asked"));
let heard = "";

/** Asks, without waiting for the end of the answer. */
function begin(mod: string, isStreamed: boolean): void {
  heard = "";
  running = (async () => {
    const request = { ...longest, messages, model: mod === "" ? model : `${model}/${mod}` };
    try {
      if (!isStreamed) {
        const answer = await client.chat.completions.create(request);
        return outcome(answer.choices[0]?.message.content ?? "");
      }
      for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
        heard += choices[0]?.delta.content ?? "";
      }
      return outcome(heard);
    } catch (error) {
      return outcome(heard, error);
    }
  })();
}

const countOf = (wanted: string): number =>
  engine?.requests.list().filter(({ status }) => status === wanted).length ?? 0;

/** As docs/http.md has it. */
async function documented(scriptUrl: string): Promise<string> {
  const { baseUrl } = await serveAsDocumented(modelOptions, scriptUrl);
  return ask(model, baseUrl);
}

const tab = {
  documented,
  serve,
  serveError,
  stop,
  registerHere,
  suite,
  begin,
  end: () => running,
  heard: () => heard,
  /** Requests of this tab's engine. */
  runningRequests: () => countOf("running"),
  waitingRequests: () => countOf("waiting"),
};
export type Tab = typeof tab;
Object.assign(globalThis, { tab });

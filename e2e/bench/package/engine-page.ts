/** The page of the package bench that has an engine: every function here is called from Node. */
import { createEngine, type MidtokenEngine } from "../../../src/package/api/index.ts";
import { openBundle, runRequest } from "../decode/ours.ts";
import { randomMod } from "./random-mods.ts";

const model = "stories260k";
const address = "/models/stories260k/";
let engine: MidtokenEngine;

async function open(): Promise<void> {
  engine = await createEngine({ model: address, dtype: "fp32", device: "wasm", keepRequests: 300 });
}

const asked = (name: string, seed: number, tokens: number) => ({
  model: name,
  messages: [{ role: "user" as const, content: "Once upon a time" }],
  seed,
  max_tokens: tokens,
  temperature: 1,
});

export interface StreamCount {
  readonly streams: number;
  /** Streams whose text was not the trace's. */
  readonly different: number;
  /** Pieces with half a character. */
  readonly halves: number;
  /** Requests in which a mod took something back. */
  readonly tookBack: number;
  readonly retracted: number;
  readonly example: string | null;
}

/** Streams of requests with random mods, every other one with retractions; each against its own trace. */
async function randomStreams(count: number): Promise<StreamCount> {
  let [different, halves, tookBack, retracted] = [0, 0, 0, 0];
  let example: string | null = null;
  for (let seed = 0; seed < count; seed++) {
    await engine.mods.register({ name: "random", source: randomMod(seed) });
    const midtoken = { retract: seed % 2 === 1, on_mod_error: "continue" as const };
    const stream = await engine.chat.completions.create({
      ...asked(`${model}/random`, seed, 24),
      stream: true,
      midtoken,
    });
    let text = "";
    let failed: string | null = null;
    try {
      for await (const chunk of stream) {
        const delta = chunk.choices[0]?.delta;
        if (delta?.midtoken?.retract) {
          text = text.slice(0, -delta.midtoken.retract);
          retracted += 1;
        }
        const piece = delta?.content ?? "";
        if (/\p{Surrogate}/u.test(piece)) halves += 1;
        text += piece;
      }
    } catch (error) {
      // A mod may end its request with an error: what was streamed up to there is still held against the trace.
      failed = String(error);
    }
    const [id = ""] = stream.requestIds;
    const { records } = await engine.requests.trace(id);
    const last = records.at(-1);
    if (last?.type !== "finished") throw new Error(`${id} has no end.`);
    if (records.some(({ type }) => type === "backtracked")) tookBack += 1;
    const isRight = last.text === text && (failed === null || last.reason === "error");
    if (isRight) continue;
    different += 1;
    example ??= `seed ${seed}: streamed ${JSON.stringify(text)}, trace ${JSON.stringify(last.text)}, ${last.reason}, ${failed}`;
  }
  return { streams: count, different, halves, tookBack, retracted, example };
}

export interface HundredResult {
  readonly right: number;
  readonly wrong: readonly string[];
  /** Requests that had been answered when the last client's request was answered. */
  readonly lastAnswered: number;
}

/** A hundred requests at once: 20 are aborted, 10 have a mod that fails; each against the same request alone. */
async function hundred(): Promise<HundredResult> {
  const broken =
    'import { mod } from "midtoken/mod";\nexport default mod({ added() { throw new Error("It broke."); } });';
  await engine.mods.register({ name: "broken", source: broken });
  const alone: string[] = [];
  for (let seed = 0; seed < 7; seed++) {
    const answer = await engine.chat.completions.create(asked(model, seed, 12));
    alone.push(answer.choices[0]?.message.content ?? "");
  }
  const wrong: string[] = [];
  const order: number[] = [];
  const ask = async (place: number) => {
    const seed = place % 7;
    const isBroken = place % 10 === 3;
    const isAborted = place % 5 === 1;
    const controller = new AbortController();
    if (isAborted) setTimeout(() => controller.abort(), place);
    try {
      const answer = await engine.chat.completions.create(
        { ...asked(isBroken ? `${model}/broken` : model, seed, 12), user: `client ${place % 4}` },
        { signal: controller.signal },
      );
      const text = answer.choices[0]?.message.content;
      if (isBroken) wrong.push(`${place}: a failing mod, and yet ${JSON.stringify(text)}`);
      else if (text !== alone[seed])
        wrong.push(`${place}: ${JSON.stringify(text)} instead of ${JSON.stringify(alone[seed])}`);
    } catch (error) {
      const { name, code, message } = error as Error & { code?: unknown };
      if (isBroken && !String(message).includes("It broke.")) wrong.push(`${place}: ${message}`);
      if (isAborted && name !== "AbortError")
        wrong.push(`${place}: ${name} ${String(code)} instead of an AbortError`);
      if (!isBroken && !isAborted) wrong.push(`${place}: ${name} ${message}`);
    }
    order.push(place);
  };
  await Promise.all(Array.from({ length: 100 }, (_, place) => ask(place)));
  const waiting = engine.requests.list().filter(({ status }) => status === "waiting" || status === "running");
  for (const { id, status } of waiting) wrong.push(`${id} is still ${status}`);
  return { right: order.length - wrong.length, wrong, lastAnswered: order.length };
}

export interface TokenTimes {
  /** Milliseconds per token. */
  readonly bare: readonly number[];
  readonly streamed: readonly number[];
  readonly whole: readonly number[];
  readonly tokens: number;
}

/** The loop alone on this thread, and the same request through `chat.completions`, taking turns. */
async function tokenTimes(rounds: number, tokens: number): Promise<TokenTimes> {
  const subject = { id: model, folder: address, dtype: "fp32", content: "" };
  const bundle = await openBundle(subject, "wasm");
  const messages = [{ role: "user" as const, content: "Once upon a time" }];
  const request = { ...asked(model, 1, tokens), temperature: 0 };
  const text: Record<string, string> = {};
  const ways = {
    bare: async () => {
      const { finished } = await runRequest(bundle, { messages, maxTokens: tokens });
      text.bare = finished.text;
    },
    streamed: async () => {
      text.streamed = "";
      for await (const chunk of await engine.chat.completions.create({ ...request, stream: true }))
        text.streamed += chunk.choices[0]?.delta.content ?? "";
    },
    whole: async () => {
      text.whole = (await engine.chat.completions.create(request)).choices[0]?.message.content ?? "";
    },
  };
  const times: Record<keyof typeof ways, number[]> = { bare: [], streamed: [], whole: [] };
  const names = Object.keys(ways) as (keyof typeof ways)[];
  for (let round = 0; round < rounds + 3; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as keyof typeof ways;
      const start = performance.now();
      await ways[name]();
      if (round >= 3) times[name].push((performance.now() - start) / tokens);
    }
  }
  await bundle.model.dispose();
  if (text.bare !== text.streamed || text.bare !== text.whole)
    throw new Error(`Other texts: ${JSON.stringify(text)}`);
  return { ...times, tokens };
}

const engineBench = { open, randomStreams, hundred, tokenTimes };
export type EngineBench = typeof engineBench;
Object.assign(globalThis, { engineBench });

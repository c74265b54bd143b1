/** The engine's worker of the bench: asks mods and takes the time. */

import { decode } from "../../../src/decoder/decode.ts";
import { KvCache } from "../../../src/decoder/kv-cache.ts";
import type { LanguageModel } from "../../../src/decoder/language-model.ts";
import type { LoopEvent, ModHost } from "../../../src/decoder/mod-host.ts";
import { decodeRequest } from "../../../src/decoder/testing/run-decode.ts";
import type { ModAbout } from "../../../src/sandbox/compile.ts";
import { connectModHost, defaultDeadlines, tokenizerText } from "../../../src/sandbox/port-mod-host.ts";
import { topOf } from "../../../src/sandbox/top-tokens.ts";
import { defaultSampling } from "../../../src/sdk/request.ts";
import type { Tokenizer } from "../../../src/sdk/tokenizer.ts";
import { createTokenizer, type TokenizerData } from "../../../src/tokenizer/create-tokenizer.ts";
import { median } from "./median.ts";

export type BenchTask =
  | { readonly type: "tokenizer"; readonly data: TokenizerData; readonly vocabulary: number }
  | { readonly type: "selection" }
  | {
      readonly type: "connect";
      readonly port: MessagePort;
      readonly about: ModAbout;
      readonly isBusy: boolean;
    }
  | { readonly type: "ask"; readonly event: "forwardPass" | "added" }
  /** Each event of a token to the connected mods, as the loop asks. */
  | { readonly type: "askToken" }
  /** What they add to a token of the decode loop. */
  | { readonly type: "decodeToken" }
  /** Milliseconds from the deadline to the fault. */
  | { readonly type: "askBusy" }
  | { readonly type: "dispose" };

/** Round trips in one measurement: the clock of a page is coarse. */
const perBatch = 10;
const batches = 60;

/** Logits as models give them: a bell with a few that stand out. */
function rowOf(vocabulary: number): Float32Array {
  return Float32Array.from({ length: vocabulary }, (_, token) => {
    const bell = Array.from({ length: 4 }, (_, part) => Math.sin(token * (part + 1.37))).reduce(
      (a, b) => a + b,
      0,
    );
    return 2 * bell + (token % 4999 === 7 ? 12 : 0);
  });
}

const logSumExp = 20;
let row: Float32Array = new Float32Array();
const eventOf = {
  forwardPass: () => ({ type: "forwardPass", requestId: "r", step: 1, logits: row, logSumExp, emitted: [] }),
  sampled: () => ({
    type: "sampled",
    requestId: "r",
    step: 1,
    token: 5,
    text: "a",
    logprob: -1,
    emitted: [],
  }),
  added: () => ({
    ...{ type: "added", requestId: "r", step: 1, tokens: [5] },
    ...{ text: "a", source: "sampled", mod: null, isEos: false, emitted: [] },
  }),
} as const satisfies Record<string, () => LoopEvent>;

let data: TokenizerData | null = null;
let tokenizer: Tokenizer | null = null;
/** Connected and not disposed of; `ask` speaks to the last one. */
const hosts: ModHost[] = [];

async function perform(task: BenchTask): Promise<unknown> {
  switch (task.type) {
    case "tokenizer":
      data = { ...task.data, vocabSize: task.vocabulary };
      tokenizer = createTokenizer(data);
      row = rowOf(task.vocabulary);
      return tokenizerText(data);
    case "selection":
      return timed(() => Promise.resolve(topOf(row, 64, logSumExp)));
    case "connect":
      return connect(task);
    case "ask":
      return timed(() => ask(hosts.at(-1), eventOf[task.event]()));
    case "askToken":
      return timed(oneToken);
    case "decodeToken":
      return tokenOfMods();
    case "askBusy": {
      const start = performance.now();
      const reply = await hosts.at(-1)?.ask(eventOf.added());
      if (reply?.fault?.kind !== "timeout") throw new Error("The busy loop was not stopped at its deadline.");
      return performance.now() - start - defaultDeadlines.event;
    }
    case "dispose":
      for (const host of hosts.splice(0)) host.dispose();
      return null;
  }
}

/** A round trip is timed however long it takes: other work on this machine must not end it. */
const patience = { event: 20_000 };

async function connect({ port, about, isBusy }: Extract<BenchTask, { type: "connect" }>): Promise<void> {
  if (data === null) throw new Error("The bench has no tokenizer yet.");
  const onKill = () => postMessage({ type: "kill" });
  const deadlines = isBusy ? defaultDeadlines : patience;
  const options = { name: "bench", about, seed: 1, tokenizerData: data, deadlines, onKill };
  hosts.push(await connectModHost(port, options));
}

/** In turn where a mod is shown what those before it edit, else at once. */
async function oneToken(): Promise<void> {
  const early = hosts.map((host) => (host.readsLogits ? null : ask(host, eventOf.forwardPass())));
  for (const [index, host] of hosts.entries()) await (early[index] ?? ask(host, eventOf.forwardPass()));
  await Promise.all(hosts.map((host) => ask(host, eventOf.sampled())));
  await Promise.all(hosts.map((host) => ask(host, eventOf.added())));
}

const tokensOfRequest = 100;
const requests = 25;

/** Milliseconds per token with the mods less those without, both by the decode loop itself, in turns: asking, edits and trace. */
async function tokenOfMods(): Promise<number> {
  const differences: number[] = [];
  for (let round = -3; round < requests; round++) {
    const without = await decodeTime([], round);
    const withMods = await decodeTime(hosts, round);
    if (round >= 0) differences.push((withMods - without) / tokensOfRequest);
  }
  return median(differences);
}

/** A model that costs nothing: the same row after whatever it reads. */
function freeModel(): LanguageModel {
  let length = 0;
  return {
    ...{ vocabularySize: row.length, capacity: 4096, endOfSequence: [] },
    get length() {
      return length;
    },
    async forward(tokens) {
      length += tokens.length;
      return row.subarray();
    },
    truncate(to) {
      length = to;
    },
    dispose: async () => undefined,
  };
}

/** Milliseconds of a request. */
async function decodeTime(mods: readonly ModHost[], round: number): Promise<number> {
  if (tokenizer === null) throw new Error("The bench has no tokenizer yet.");
  const overrides = {
    ...{ requestId: `r${round}`, seed: round, prompt: [5, 6, 7], maxTokens: tokensOfRequest },
    ...{ sampling: defaultSampling, modSources: mods.map(({ name }) => name) },
  };
  const start = performance.now();
  const { reason, error } = await decode(decodeRequest("", overrides), {
    ...{ kvCache: new KvCache(freeModel()), tokenizer, mods },
    ...{ record: () => undefined, now: () => performance.now() },
  });
  if (reason !== "length") throw new Error(`The request ended with ${reason}: ${error?.message}`);
  return performance.now() - start;
}

async function ask(host: ModHost | undefined, event: LoopEvent): Promise<void> {
  const reply = await host?.ask(event);
  if (!reply || reply.fault) throw new Error(`The mod did not answer: ${reply?.fault?.message}`);
}

/** The median over batches of the mean within a batch. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let batch = -5; batch < batches; batch++) {
    const start = performance.now();
    for (let i = 0; i < perBatch; i++) await work();
    if (batch >= 0) times.push((performance.now() - start) / perBatch);
  }
  return median(times);
}

addEventListener("message", ({ data: task }: MessageEvent<BenchTask>) => {
  perform(task).then(
    (value) => postMessage({ type: "done", value }),
    (error: Error) => postMessage({ type: "failed", message: error.message }),
  );
});

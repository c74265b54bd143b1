/** The time that mods add to a token of the decode loop, beside a bare echo of their messages. */

import { KvCache } from "../../../src/core/decoder/kv-cache/kv-cache.ts";
import { decode } from "../../../src/core/decoder/loop/decode.ts";
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import { type ModHost, readsLogits } from "../../../src/core/decoder/ports/mod-host.ts";
import { decodeRequest } from "../../../src/core/decoder/testing/run-decode.ts";
import { defaultSampling } from "../../../src/core/sdk/request.ts";
import type { Tokenizer } from "../../../src/core/sdk/tokenizer.ts";
import { mean, median } from "../statistics.ts";
import { EchoHost, listenIn } from "./echo.ts";
import { timed } from "./timed.ts";

/** Milliseconds per token. */
export interface TokenOfMods {
  /** Number of requests, each of a hundred tokens. */
  readonly requests: number;
  /** With the mods less without them: asking, what the loop does with their answers, the trace. Over requests. */
  readonly median: number;
  readonly mean: number;
  /** The median where each pass waits for what the mods answer to `added`. */
  readonly waitingMedian: number;
  /** The same messages in the same order between the same kind of workers, and nothing done with them. Over as many tokens. */
  readonly echoMedian: number;
  readonly echoMean: number;
  /** The ratio of the two medians. */
  readonly overEcho: number;
  /** One round trip of one echo: what it costs to wake a guest, and to be woken by it. */
  readonly oneEcho: number;
  /** Messages to the mods of one token; as many come back. */
  readonly messages: number;
  /** Round trips of these messages, one after the other. The loop waits for all but the last, of `added`: the next pass runs beside it. */
  readonly rounds: number;
}

const tokensOfRequest = 100;
const warmUps = 3;
const requests = 25;

interface Measured {
  readonly tokenizer: Tokenizer;
  /** The logits of every step, `(vocabulary)`. */
  readonly row: Float32Array;
  readonly mods: readonly ModHost[];
  /** Ports to the mods. */
  readonly ports: readonly MessagePort[];
  /** To as many guests that are echoes. */
  readonly echoPorts: readonly MessagePort[];
}

/** A request with the mods, one without, and as many tokens of echoes take turns; another one begins each time. */
export async function measureTokenOfMods({
  tokenizer,
  row,
  mods,
  ports,
  echoPorts,
}: Measured): Promise<TokenOfMods> {
  const noted = ports.map(listenIn);
  await decodeTime(tokenizer, row, mods, 0);
  const echoes = noted.map(({ traffic, stop }, mod) => {
    stop();
    return new EchoHost(echoPorts[mod] as MessagePort, traffic);
  });
  const rounds = roundsOf(mods);
  const [withMods, waiting, without, echo]: [number[], number[], number[], number[]] = [[], [], [], []];
  const turns = [
    async (seed: number) => void withMods.push(await decodeTime(tokenizer, row, mods, seed)),
    async (seed: number) => void waiting.push(await decodeTime(tokenizer, row, mods, seed, true)),
    async (seed: number) => void without.push(await decodeTime(tokenizer, row, [], seed)),
    async () => void echo.push(await echoTime(echoes, rounds)),
  ];
  for (let round = 0; round < warmUps + requests; round++) {
    for (let turn = 0; turn < turns.length; turn++) await turns[(round + turn) % turns.length]?.(round);
  }
  const counted = [...echo.keys()].slice(warmUps);
  const excess = (times: readonly number[]) =>
    counted.map((round) => ((times[round] ?? Number.NaN) - (without[round] ?? Number.NaN)) / tokensOfRequest);
  const added = excess(withMods);
  const echoed = counted.map((round) => (echo[round] ?? Number.NaN) / tokensOfRequest);
  const oneEcho = await timed(() => (echoes[0] as EchoHost).ask("sampled"));
  for (const host of echoes) host.dispose();
  return {
    requests,
    median: median(added),
    mean: mean(added),
    waitingMedian: median(excess(waiting)),
    echoMedian: median(echoed),
    echoMean: mean(echoed),
    overEcho: median(added) / median(echoed),
    oneEcho,
    messages: rounds.reduce((sum, { asked }) => sum + asked.length, 0),
    rounds: rounds.length,
  };
}

/** Who is asked about what, without waiting in between. */
interface Round {
  readonly type: "forwardPass" | "sampled" | "added";
  /** Indices of mods. */
  readonly asked: readonly number[];
}

/** In the order of the decode loop: at forwardPass first those that read no logits, then each that is shown what those before it edit. */
function roundsOf(mods: readonly ModHost[]): Round[] {
  const all = [...mods.keys()];
  const isInTurn = (mod: number) => readsLogits(mods[mod] as ModHost);
  const inTurn = all.filter(isInTurn);
  const atOnce = all.filter((mod) => !isInTurn(mod));
  const forwardPasses = [atOnce, ...inTurn.map((mod) => [mod])].filter((asked) => asked.length > 0);
  return [
    ...forwardPasses.map((asked) => ({ type: "forwardPass", asked }) as const),
    { type: "sampled", asked: all },
    { type: "added", asked: all },
  ];
}

/** Milliseconds of as many tokens as a request has. */
async function echoTime(echoes: readonly EchoHost[], rounds: readonly Round[]): Promise<number> {
  const start = performance.now();
  for (let token = 0; token < tokensOfRequest; token++) {
    for (const { type, asked } of rounds) await Promise.all(asked.map((mod) => echoes[mod]?.ask(type)));
  }
  return performance.now() - start;
}

/** Milliseconds of a request. */
async function decodeTime(
  tokenizer: Tokenizer,
  row: Float32Array,
  mods: readonly ModHost[],
  seed: number,
  waitsForAdded = false,
): Promise<number> {
  const overrides = {
    requestId: `r${seed}`,
    seed,
    prompt: [5, 6, 7],
    maxTokens: tokensOfRequest,
    sampling: defaultSampling,
    modSources: mods.map(({ name }) => ({ source: name })),
  };
  const start = performance.now();
  const { reason, error } = await decode(decodeRequest("", overrides), {
    kvCache: new KvCache(freeModel(row)),
    tokenizer,
    mods,
    record: () => undefined,
    now: () => performance.now(),
    waitsForAdded,
  });
  if (reason !== "length") throw new Error(`The request ended with ${reason}: ${error?.message}`);
  return performance.now() - start;
}

/** A model that costs nothing: the same row after whatever it reads. */
function freeModel(row: Float32Array): LanguageModel {
  let length = 0;
  return {
    vocabularySize: row.length,
    capacity: 4096,
    promptPassTokens: 512,
    endOfSequence: [],
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

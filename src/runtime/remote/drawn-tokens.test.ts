/**
 * The distribution of answers while the server's draws switch on and off within an answer: a mod changes logits at some steps, bans
 * tokens at others, and asks a hidden question where a certain token was drawn. The tokens of each kind of step are compared with the
 * probabilities that the model and the mod give them.
 */
import { expect, onTestFinished, test } from "vitest";
import { uniformRandom } from "../../core/base/random.ts";
import { KvCache } from "../../core/decoder/kv-cache/kv-cache.ts";
import { editLogits } from "../../core/decoder/logits/logits-edits.ts";
import { byteTokenizer } from "../../core/decoder/testing/byte-tokenizer.ts";
import { inProcessMod } from "../../core/decoder/testing/in-process-mod.ts";
import { runDecode } from "../../core/decoder/testing/run-decode.ts";
import type { SparseLogitsEdit } from "../../core/sdk/action.ts";
import { defaultSampling } from "../../core/sdk/request.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { LlamaServerModel } from "./server-model.ts";
import { startFakeLlama } from "./testing/fake-llama.ts";

/** A server with its model. */
interface Served {
  readonly url: string;
  readonly vocabularySize: number;
  readonly prompt: readonly number[];
  /** Tokens that end inside a character. */
  readonly partTokens: readonly number[];
  /** The mod asks its question where this token was drawn. */
  readonly asked: number;
  readonly answers: number;
}

type RowAfter = (text: readonly number[]) => Float32Array | Promise<Float32Array>;

const steps = 32;

/** The kind of a step. After the mod changed logits, our sampler draws for some steps, and then the server again. */
function kindOf(step: number): "first" | "raised" | "after raised" | "banned" | "late" {
  const place = step % 16;
  if (place < 3) return "first";
  if (place < 5) return "raised";
  if (place < 9) return "after raised";
  return place === 9 ? "banned" : "late";
}

function editAt(step: number, vocabularySize: number): SparseLogitsEdit | null {
  const every = Array.from({ length: vocabularySize }, (_, token) => token);
  if (kindOf(step) === "raised") return { add: { 3: 1.5, 7: -1 } };
  if (kindOf(step) === "banned") return { ban: every.filter((token) => token % 3 === 0) };
  return null;
}

function steppingMod({ vocabularySize, asked }: Served) {
  let askedAt = -1;
  let isAsking = false;
  const mod = inProcessMod("steps in", {
    forwardPass({ step }) {
      const edit = editAt(step, vocabularySize);
      return edit ? { type: "adjustLogits", logits: edit } : undefined;
    },
    sampled({ step, hidden, token }) {
      if (hidden || token !== asked || askedAt === step) return undefined;
      askedAt = step;
      isAsking = true;
      return { type: "forceTokens", tokens: [4, 5], hidden: true };
    },
    added({ step, hidden }) {
      if (!hidden || !isAsking || step !== askedAt + 3) return undefined;
      isAsking = false;
      return { type: "backtrack", count: 3, tokens: [] };
    },
  });
  return Object.assign(mod, { needs: { topK: 0, logits: false } });
}

const tokenizer = {
  ...byteTokenizer,
  decode: (tokens: readonly number[]) => tokens.map((token) => `<${token}>`).join(""),
  tokenText: (token: number) => `<${token}>`,
  tokenBytes: (token: number) => new TextEncoder().encode(`<${token}>`),
};

function modelOf({ url, vocabularySize, partTokens }: Served, listedTokens?: number): LlamaServerModel {
  const connection = new ServerConnection({ url }, createHttpExchange());
  return new LlamaServerModel(new Replicas([new Replica({ connection, slots: 1 })]), {
    server: { vocabularySize, contextLength: 512 },
    endOfSequence: [vocabularySize - 1],
    listedTokens,
    serverDraws: listedTokens !== undefined,
    partTokens: () => partTokens,
  });
}

interface Answer {
  readonly tokens: readonly number[];
  /** How many of the first tokens the server drew. */
  readonly drawn: number;
  readonly questions: number;
}

async function answer(served: Served, listed: number, seed: number): Promise<Answer> {
  const model = modelOf(served, listed);
  const { vocabularySize, prompt } = served;
  const sampling = { ...defaultSampling, temperature: 1, logitBias: {} };
  const request = { prompt, sampling, maxTokens: 4 * steps, seed, hasRandomSeed: true };
  const mod = steppingMod(served);
  const { finished, records } = await runDecode({
    kvCache: new KvCache(model),
    tokenizer: { ...tokenizer, vocabSize: vocabularySize },
    mods: [mod],
    request,
  });
  await model.dispose();
  const tokens = Array.from(finished.text.matchAll(/<(\d+)>/g), ([, token]) => Number(token));
  return {
    tokens: tokens.slice(0, steps),
    drawn: records.filter(
      (record) => record.type === "sampled" && record.step < steps && record.drawnBy === "server",
    ).length,
    questions: records.filter(({ type }) => type === "backtracked").length,
  };
}

/** How often tokens of a group came at a kind of step, and how often they should have come. */
interface Count {
  found: number;
  expected: number;
  /** The sum of the steps' variances. */
  variance: number;
}

/** Adds a step to the counts of its groups: by rank, parts of characters, and the token at which the mod asks. */
function note(
  counts: Map<string, Count>,
  { kind, token, logits }: { kind: string; token: number; logits: Float32Array },
  { partTokens, asked }: Served,
): void {
  const weights = Array.from(logits, Math.exp);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const ranked = [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number));
  const groups: Readonly<Record<string, readonly number[]>> = {
    "most likely": ranked.slice(0, 1),
    "ranks 2 to 4": ranked.slice(1, 4),
    "ranks 5 to 10": ranked.slice(4, 10),
    others: ranked.slice(10),
    parts: partTokens,
    asked: [asked],
  };
  for (const [name, group] of Object.entries(groups)) {
    const share = group.reduce((sum, each) => sum + (weights[each] as number), 0) / all;
    const key = `${kind}: ${name}`;
    const count = counts.get(key) ?? { found: 0, expected: 0, variance: 0 };
    counts.set(key, count);
    if (group.includes(token)) count.found += 1;
    count.expected += share;
    count.variance += share * (1 - share);
  }
}

const mostFalseAlarms = 1e-6;

/**
 * The greatest distance of a count that chance explains: all counts of a test together are further away in less than one of 1,000,000
 * runs (Freedman's inequality for sums whose steps depend on the steps before).
 */
function mostDistance({ variance }: Count, counts: number): number {
  const level = Math.log((2 * counts) / mostFalseAlarms);
  return level / 3 + Math.sqrt((level / 3) ** 2 + 2 * level * variance);
}

async function expectDistribution(served: Served, listed: number, rowAfter: RowAfter): Promise<void> {
  const counts = new Map<string, Count>();
  let [drawn, questions] = [0, 0];
  for (let seed = 0; seed < served.answers; seed++) {
    const { tokens, ...about } = await answer(served, listed, seed);
    drawn += about.drawn;
    questions += about.questions;
    for (const [step, token] of tokens.entries()) {
      const row = await rowAfter([...served.prompt, ...tokens.slice(0, step)]);
      const edit = editAt(step, served.vocabularySize);
      note(counts, { kind: kindOf(step), token, logits: edit ? editLogits(row, edit) : row }, served);
    }
  }
  const far = [...counts].filter(
    ([, count]) => Math.abs(count.found - count.expected) > mostDistance(count, counts.size),
  );
  expect(far).toEqual([]);
  // Both drew, and the mod asked its question.
  expect(drawn).toBeGreaterThan(steps);
  expect(drawn).toBeLessThan(0.9 * steps * served.answers);
  expect(questions).toBeGreaterThan(served.answers / 4);
}

const fakeSize = 24;
const fakeParts = [20, 21, 22];

/** A row that depends on the last two tokens. The last token, which ends an answer, never comes. */
function fakeRow(text: readonly number[]): number[] {
  const [before = 0, last = 0] = text.slice(-2);
  const weights = Array.from({ length: fakeSize }, (_, token) =>
    token === fakeSize - 1 ? 0 : uniformRandom(before * fakeSize + last, token) ** 3,
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.max(-1_000, Math.log(weight / all)));
}

test.each([8, 12, fakeSize])("a fake server that lists %i tokens", async (listed) => {
  const fake = await startFakeLlama({
    vocabularySize: fakeSize,
    contextLength: 512,
    rowAfter: fakeRow,
    draws: true,
    isPart: (token) => fakeParts.includes(token),
  });
  onTestFinished(() => fake.close());
  const served = {
    url: fake.url,
    vocabularySize: fakeSize,
    prompt: [1, 2, 3],
    partTokens: fakeParts,
    asked: 11,
    answers: 40,
  };
  await expectDistribution(served, listed, (text) => Float32Array.from(fakeRow(text)));
});

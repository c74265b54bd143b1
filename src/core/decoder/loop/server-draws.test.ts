/** A server that may draw every token itself: when its token counts, when our sampler draws, and what the trace says. */
import { expect, test } from "vitest";
import { defaultSampling, type SamplingSettings } from "../../sdk/request.ts";
import type { SampledRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { ServerDrawing } from "../ports/listed-logits.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { END } from "../testing/byte-tokenizer.ts";
import { inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";

const size = 257;
/** Tokens 65 to 68 share nearly all of the probability. */
const logits = () => Float32Array.from({ length: size }, (_, token) => (token >= 65 && token <= 68 ? 5 : -9));
const drawnToken = 66;

async function run(action: object | undefined, settings: Partial<SamplingSettings> = {}) {
  const mods = action === undefined ? [] : [inProcessMod("mod", { forwardPass: () => action as never })];
  const ran = await runWith({ mods, settings });
  expect(ran.sampled).toHaveLength(6);
  return ran;
}

interface Settings {
  readonly mods?: readonly ModHost[];
  readonly settings?: Partial<SamplingSettings>;
  readonly hasRandomSeed?: boolean;
  /** The tokens that the server draws, one after the other; the same one unless given. */
  readonly tokens?: number[];
}

async function runWith({ mods = [], settings = {}, hasRandomSeed, tokens }: Settings) {
  const drawings: (ServerDrawing | null)[] = [];
  const isRandom: boolean[] = [];
  const taken: boolean[] = [];
  const model = Object.assign(scriptedModel({ vocabularySize: size, endOfSequence: [END], logits }), {
    drawAhead(drawing: ServerDrawing | null, isSeedRandom: boolean) {
      drawings.push(drawing);
      isRandom.push(isSeedRandom);
    },
    takeServerDraw: () => (drawings.at(-1) ? { token: tokens?.shift() ?? drawnToken, logprob: null } : null),
    noteServerDraw: (isTaken: boolean) => void taken.push(isTaken),
  });
  const sampling = { ...defaultSampling, temperature: 1, ...settings };
  const request = { maxTokens: 6, seed: 3, sampling, hasRandomSeed };
  const { records } = await runDecode({ prompt: "x", mods, kvCache: new KvCache(model), request });
  const sampled = records.filter((record): record is SampledRecord => record.type === "sampled");
  return { drawings, isRandom, taken, sampled };
}

const adjust = (edit: object, more: object = {}) => ({ type: "adjustLogits", logits: edit, ...more });

test("the model learns whether somebody chose the seed", async () => {
  for (const hasRandomSeed of [true, undefined])
    expect((await runWith({ hasRandomSeed })).isRandom).toEqual([hasRandomSeed === true]);
});

test("without edits each token is the server's", async () => {
  const { drawings, sampled, taken } = await run(undefined, { topP: 0.9 });
  expect(taken).toEqual([true, true, true, true, true, true]);
  expect(drawings).toEqual([{ temperature: 1, topK: 0, topP: 0.9, minP: 0, seed: 3 }]);
  for (const record of sampled) expect(record).toMatchObject({ token: drawnToken, drawnBy: "server" });
  expect(sampled[0]?.probability).toBeCloseTo(0.25, 3);
});

test("a server's token that a mod leaves is taken, with its probability among the tokens that are left", async () => {
  for (const edit of [{ ban: [65] }, { only: [66, 67, 68] }]) {
    const { sampled, taken } = await run(adjust(edit));
    expect(taken).not.toContain(false);
    for (const record of sampled) {
      expect(record).toMatchObject({ token: drawnToken, drawnBy: "server", counterfactual: null });
      expect(record.probability).toBeCloseTo(1 / 3, 3);
    }
  }
});

test("if a mod removed the server's token, our sampler draws, and the server's token is the one without the mod", async () => {
  const { sampled, taken } = await run(adjust({ ban: [drawnToken] }));
  expect(taken).not.toContain(true);
  for (const { token, drawnBy, counterfactual } of sampled) {
    expect(token).not.toBe(drawnToken);
    expect(drawnBy).toBeUndefined();
    expect(counterfactual?.token).toBe(drawnToken);
  }
  expect(new Set(sampled.map(({ token }) => token)).size).toBeGreaterThan(1);
});

test.each<[string, object, Partial<SamplingSettings>]>([
  ["changes a logit", adjust({ add: { 70: 1 } }), {}],
  ["sets the temperature", adjust({}, { temperature: 0.5 }), {}],
  ["removes a token under a cut-off", adjust({ ban: [70] }), { topP: 0.9 }],
])("where a mod %s, our sampler draws", async (_, action, settings) => {
  const { sampled, taken } = await run(action, settings);
  expect(sampled.some(({ drawnBy }) => drawnBy !== undefined)).toBe(false);
  // By chance, our sampler draws the server's token too.
  expect(taken).not.toContain(true);
});

test("a hidden question in place of the server's token leaves the token for the time after it", async () => {
  const asked: number[] = [];
  const question = inProcessMod("mod", {
    sampled({ step, hidden, token }) {
      if (hidden || step !== 2) return undefined;
      asked.push(token);
      return asked.length === 1 ? { type: "forceTokens", tokens: [80, 81], hidden: true } : undefined;
    },
    added: ({ hidden, step }) =>
      hidden && step === 5 ? { type: "backtrack", count: 3, tokens: [] } : undefined,
  });
  const { sampled } = await runWith({ mods: [question], tokens: [65, 66, 67, 68, 65, 66, 67, 68] });
  expect(asked).toEqual([67, 67]);
  expect(sampled.filter(({ step }) => step === 2).map(({ token, drawnBy }) => [token, drawnBy])).toEqual([
    [67, "server"],
    [67, "server"],
  ]);
});

test.each<[string, Partial<SamplingSettings>]>([
  ["at temperature 0", { temperature: 0 }],
  ["with a penalty", { presencePenalty: 1 }],
  ["with a bias", { logitBias: { 70: 1 } }],
])("%s the server draws nothing", async (_, settings) => {
  const { drawings, sampled } = await run(undefined, settings);
  expect(drawings).toEqual([null]);
  expect(sampled.some(({ drawnBy }) => drawnBy !== undefined)).toBe(false);
});

/** A server that may draw every token itself: when its token counts, when our sampler draws, and what the trace says. */
import { expect, test } from "vitest";
import { defaultSampling, type SamplingSettings } from "../../sdk/request.ts";
import type { SampledRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { ServerDrawing } from "../ports/listed-logits.ts";
import { END } from "../testing/byte-tokenizer.ts";
import { inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";

const size = 257;
/** Tokens 65 to 68 share nearly all of the probability. */
const logits = () => Float32Array.from({ length: size }, (_, token) => (token >= 65 && token <= 68 ? 5 : -9));
const drawnToken = 66;

async function run(action: object | undefined, settings: Partial<SamplingSettings> = {}) {
  const drawings: (ServerDrawing | null)[] = [];
  const model = Object.assign(scriptedModel({ vocabularySize: size, endOfSequence: [END], logits }), {
    drawAhead: (drawing: ServerDrawing | null) => void drawings.push(drawing),
    takeServerDraw: () => (drawings.at(-1) ? { token: drawnToken, logprob: null } : null),
  });
  const mods = action === undefined ? [] : [inProcessMod("mod", { forwardPass: () => action as never })];
  const sampling = { ...defaultSampling, temperature: 1, ...settings };
  const request = { maxTokens: 6, seed: 3, sampling };
  const { records } = await runDecode({ prompt: "x", mods, kvCache: new KvCache(model), request });
  const sampled = records.filter((record): record is SampledRecord => record.type === "sampled");
  expect(sampled).toHaveLength(6);
  return { drawings, sampled };
}

const adjust = (edit: object, more: object = {}) => ({ type: "adjustLogits", logits: edit, ...more });

test("without edits each token is the server's", async () => {
  const { drawings, sampled } = await run(undefined, { topP: 0.9 });
  expect(drawings).toEqual([{ temperature: 1, topK: 0, topP: 0.9, minP: 0, seed: 3 }]);
  for (const record of sampled) expect(record).toMatchObject({ token: drawnToken, drawnBy: "server" });
  expect(sampled[0]?.probability).toBeCloseTo(0.25, 3);
});

test("a server's token that a mod leaves is taken, with its probability among the tokens that are left", async () => {
  for (const edit of [{ ban: [65] }, { only: [66, 67, 68] }]) {
    const { sampled } = await run(adjust(edit));
    for (const record of sampled) {
      expect(record).toMatchObject({ token: drawnToken, drawnBy: "server", counterfactual: null });
      expect(record.probability).toBeCloseTo(1 / 3, 3);
    }
  }
});

test("if a mod removed the server's token, our sampler draws, and the server's token is the one without the mod", async () => {
  const { sampled } = await run(adjust({ ban: [drawnToken] }));
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
  const { sampled } = await run(action, settings);
  expect(sampled.some(({ drawnBy }) => drawnBy !== undefined)).toBe(false);
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

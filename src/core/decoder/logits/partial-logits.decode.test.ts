/** Requests of a model whose server lists the most likely tokens: the tokens of whole rows, and what is refused before the start. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { createTopTokenServer, withListedLogits } from "../testing/listed-model.ts";
import { runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";

const size = 257;
const logits = (context: readonly number[]) => {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: size }, (_, token) =>
    token === END ? -9 : ((randomBits(key, token) >>> 8) / 2 ** 24) * 12,
  );
};

const token = fc.integer({ min: 0, max: 255 });
const tokens = fc.array(token, { minLength: 1, maxLength: 5 });
const edit = fc.record({
  type: fc.constant("adjustLogits"),
  logits: fc.record(
    {
      ban: tokens,
      add: fc.dictionary(token.map(String), fc.float({ min: -9, max: 9, noNaN: true }), { maxKeys: 3 }),
      only: fc.uniqueArray(token, { minLength: 1, maxLength: 30 }),
    },
    { requiredKeys: [] },
  ),
});
const force = fc.record({ type: fc.constant("forceTokens"), tokens });
const back = fc.record({ type: fc.constant("backtrack"), count: fc.integer({ min: 0, max: 4 }), tokens });
const replies = (...kinds: fc.Arbitrary<object>[]) =>
  fc.dictionary(fc.integer({ min: 0, max: 12 }).map(String), fc.oneof(...kinds), { maxKeys: 5 });
const requests = fc.record({
  mod: fc.record({ forwardPass: replies(edit, edit, force), added: replies(force, back) }),
  sampling: fc.constantFrom(
    { temperature: 0 },
    { temperature: 0, presencePenalty: 1 },
    { temperature: 0.7, topK: 5 },
    { temperature: 1.4, minP: 0.2 },
    { temperature: 1, topP: 0.6 },
  ),
  seed: fc.integer(),
  listed: fc.constantFrom(20, 64),
});

type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

async function run({ mod, sampling, seed, listed }: Request, isListed: boolean) {
  const handlers = Object.entries(mod).map(([type, given]) => {
    let next = 0;
    return [type, () => (given as Record<string, unknown>)[String(next++)]];
  });
  const host = inProcessMod("mod", Object.fromEntries(handlers) as Handlers);
  const mods: ModHost[] = [
    { ...host, ask: host.ask, dispose: host.dispose, needs: { topK: 10, logits: false } },
  ];
  const model = scriptedModel({ vocabularySize: size, endOfSequence: [END], logits });
  const kvCache = new KvCache(isListed ? withListedLogits(createTopTokenServer(listed), model) : model);
  const request = { maxTokens: 10, seed, budget: 60, onModError: "continue" as const };
  const options = { request: { ...request, sampling: { ...defaultSampling, ...sampling } } };
  const { records, finished } = await runDecode({ prompt: "seed", mods, kvCache, ...options });
  return { records, text: finished.text, reason: finished.reason };
}

const drawn = (records: readonly TraceRecord[]) =>
  records.flatMap((record) => (record.type === "sampled" ? [[record.step, record.token]] : []));

test("whatever the mods do, listed tokens give the tokens of whole rows", async () => {
  let partial = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const [listed, whole] = [await run(request, true), await run(request, false)];
      expect(drawn(listed.records)).toEqual(drawn(whole.records));
      expect([listed.text, listed.reason]).toEqual([whole.text, whole.reason]);
      partial += listed.records.filter((each) => each.type === "forwardPass" && each.before?.partial).length;
    }),
    { numRuns: 60 },
  );
  expect(partial).toBeGreaterThan(100);
});

const plain: Request = {
  mod: { forwardPass: {}, added: {} },
  sampling: { temperature: 0 },
  seed: 1,
  listed: 20,
};

function runWith(needs: ModHost["needs"], sampling: object = { temperature: 0 }) {
  const host = inProcessMod("reader", { forwardPass: () => undefined });
  const mod: ModHost = { ...host, ask: host.ask, dispose: host.dispose, needs };
  const model = withListedLogits(
    createTopTokenServer(plain.listed),
    scriptedModel({ vocabularySize: size, endOfSequence: [END], logits }),
  );
  return runDecode({
    prompt: "seed",
    mods: [mod],
    kvCache: new KvCache(model),
    request: { sampling: { ...defaultSampling, ...sampling } },
  });
}

test("what a server does not give is refused before the start, in a sentence", async () => {
  await expect(runWith({ topK: 0, logits: true })).rejects.toThrow(
    'The mod reader reads all logits, but the server lists only the most likely tokens at each step. Let the mod read event.topK, or set the option "listed" to the size of the vocabulary.',
  );
  await expect(runWith({ topK: 130, logits: false })).rejects.toThrow(
    "The mod reader reads the 130 most likely tokens, but the server lists at most 100 at each step. Let the mod read fewer.",
  );
  await expect(runWith({ topK: 10, logits: false }, { repetitionPenalty: 1.1 })).rejects.toThrow(
    /^A repetition penalty needs the sign of each logit/,
  );
  const { finished } = await runWith({ topK: 10, logits: false });
  expect(finished.reason).toBe("length");
  // A mod that reads more than are listed as a rule gets a longer list.
  const { records } = await runWith({ topK: 30, logits: false });
  const pass = records.find(({ type }) => type === "forwardPass");
  expect(pass?.type === "forwardPass" && pass.likeliest?.tokens.length).toBe(30);
});

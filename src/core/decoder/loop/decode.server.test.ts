/**
 * The tables of decoding (events, actions, several mods, mods at fault, sampling, the context) for a model on a server: with whole
 * rows of log-probabilities, and with the 64 and 20 most likely tokens. Each row has the output of a model that runs here, or is
 * refused with the sentence that the documents give.
 */
import { describe, expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { defaultSampling, type SamplingSettings } from "../../sdk/request.ts";
import type { ModCallRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import { type LoopEvent, type ModHost, requireAllLogits } from "../ports/mod-host.ts";
import { byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { createTopTokenServer, logprobsOf, withListedLogits } from "../testing/listed-model.ts";
import { type RunOptions, runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { checkTrace, traceLog } from "../testing/trace-log.ts";

const size = 257;

/** Logits without equals, as those of a real model. */
function logits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: size }, (_, token) =>
    token === END ? -9 : ((randomBits(key, token) >>> 8) / 2 ** 24) * 14,
  );
}

/** A model on a server that gives log-probabilities of all tokens. */
function withWholeRows(model: LanguageModel): LanguageModel {
  return Object.assign(Object.create(model) as LanguageModel, {
    returnsLogprobs: true,
    hasCostlyRows: true,
    async forward(tokens: readonly number[], rows = 1) {
      const given = await model.forward(tokens, rows);
      const all = new Float32Array(given.length);
      for (let from = 0; from < given.length; from += size)
        all.set(logprobsOf(given.subarray(from, from + size)), from);
      return all;
    },
  });
}

const makers = {
  here: (model: LanguageModel) => model,
  "whole rows": withWholeRows,
  "64 listed": (model: LanguageModel) => withListedLogits(createTopTokenServer(64), model),
  "20 listed": (model: LanguageModel) => withListedLogits(createTopTokenServer(20), model),
};
type Kind = keyof typeof makers;

interface Row {
  readonly mods: readonly Handlers[];
  readonly request?: RunOptions["request"];
  readonly sampling?: Partial<SamplingSettings>;
  /** The first mod reads the array of all logits. */
  readonly readsAll?: boolean;
  /** The sentence before the start, or of the invalid action, for servers. */
  readonly refused?: RegExp;
  /** The same, for servers that list the most likely tokens only. */
  readonly refusedListed?: RegExp;
}

async function outcome(kind: Kind, { mods, request, sampling, readsAll }: Row): Promise<string> {
  const model = makers[kind](scriptedModel({ vocabularySize: size, endOfSequence: [END], logits }));
  const hosts = mods.map((handlers, index): ModHost => {
    const host = inProcessMod(`mod${index}`, handlers);
    return { ...host, needs: { topK: 10, logits: readsAll === true && index === 0 } };
  });
  const settings = { ...defaultSampling, temperature: 0, ...sampling };
  const options = { maxTokens: 8, seed: 3, budget: 60, ...request, sampling: settings };
  const { records } = await runDecode({ mods: hosts, kvCache: new KvCache(model), request: options });
  checkTrace(records);
  const calls = records.filter((record): record is ModCallRecord => record.type === "modCall");
  const faults = calls.flatMap(({ fault }) => (fault ? [fault.message] : []));
  return [traceLog(records), ...faults].join(" | ");
}

const encode = byteTokenizer.encode;
type ForwardPass = Extract<LoopEvent, { type: "forwardPass" }>;
function topOf({ top }: ForwardPass, count: number): { readonly tokens: ArrayLike<number> } {
  if (!top) throw new Error("The event has no most likely tokens.");
  return top(count);
}
const at =
  (step: number, action: unknown) =>
  (event: { readonly step: number }): unknown =>
    event.step === step ? action : undefined;
/** Only the first time: an action that changes the output brings its event again. */
function once(step: number, action: unknown): (event: { readonly step: number }) => unknown {
  let isDone = false;
  return (event) => {
    if (isDone || event.step !== step) return undefined;
    isDone = true;
    return action;
  };
}
const force = { type: "forceTokens", tokens: encode("xyz") };
const back = { type: "backtrack", count: 2, tokens: encode("k") };
const edit = (logits: unknown, temperature?: number) => ({ type: "adjustLogits", logits, temperature });
const calls = { type: "toolCalls", calls: [{ name: "f", arguments: { a: 1 } }] };
const output = { type: "forceOutput", tokens: encode("done") };
const failed = { type: "error", message: "stop here" };
const readsAllLogits = /The mod mod0 reads all logits, but the server lists only the most likely tokens/;

/** A new object for each run, since `once` remembers. */
const tables: Record<string, Record<string, () => Row>> = {
  events: {
    prefilled: () => ({ mods: [{ prefilled: () => ({ type: "adjustPrefill", tokens: encode("other") }) }] }),
    "forwardPass, topK": () => ({
      mods: [
        {
          forwardPass: (event) =>
            event.step === 2 ? { type: "forceTokens", tokens: Array.from(topOf(event, 2).tokens) } : null,
        },
      ],
    }),
    "forwardPass, logits": () => ({
      mods: [{ forwardPass: (event) => (requireAllLogits(event).length === size ? undefined : failed) }],
      readsAll: true,
      refusedListed: readsAllLogits,
    }),
    sampled: () => ({ mods: [{ sampled: once(3, force) }] }),
    added: () => ({ mods: [{ added: once(3, force) }] }),
    backtracked: () => ({ mods: [{ added: once(4, back), backtracked: () => undefined }] }),
    finished: () => ({ mods: [{ finished: () => undefined }] }),
  },
  actions: {
    noop: () => ({ mods: [{ forwardPass: () => ({ type: "noop" }), added: () => null }] }),
    "adjustPrefill with maxSteps": () => ({
      mods: [{ prefilled: () => ({ type: "adjustPrefill", tokens: encode("ab"), maxSteps: 4 }) }],
    }),
    "adjustLogits, array": () => ({
      mods: [{ forwardPass: at(1, edit(Float32Array.from({ length: size }, (_, token) => token / 20))) }],
    }),
    "adjustLogits, arrays at temperature 1, then a ban": () => ({
      mods: [
        {
          forwardPass: ({ step }) =>
            edit(Float32Array.from({ length: size }, (_, token) => ((token * 7 + step) % size) / 40)),
        },
        { forwardPass: (event) => edit({ ban: Array.from(topOf(event, 5).tokens) }) },
      ],
      sampling: { temperature: 1 },
    }),
    "adjustLogits, an array without a possible token": () => ({
      mods: [{ forwardPass: at(1, edit(new Float32Array(size).fill(Number.NEGATIVE_INFINITY))) }],
    }),
    "adjustLogits, ban": () => ({
      mods: [{ forwardPass: (event) => edit({ ban: Array.from(topOf(event, 10).tokens) }) }],
    }),
    "adjustLogits, only": () => ({ mods: [{ forwardPass: () => edit({ only: encode("qrs") }) }] }),
    "adjustLogits, add": () => ({ mods: [{ forwardPass: () => edit({ add: { 113: 30, 114: 12 } }) }] }),
    "adjustLogits, temperature": () => ({
      mods: [{ forwardPass: at(2, edit({}, 0.5)) }],
      sampling: { topK: 10 },
    }),
    "forceTokens at forwardPass": () => ({ mods: [{ forwardPass: once(2, force) }] }),
    "backtrack at forwardPass": () => ({ mods: [{ forwardPass: once(4, back) }] }),
    "backtrack at sampled": () => ({ mods: [{ sampled: once(4, back) }] }),
    "backtrack at added": () => ({ mods: [{ added: once(4, { type: "backtrack", count: 1 }) }] }),
    forceOutput: () => ({ mods: [{ added: once(2, output) }] }),
    toolCalls: () => ({ mods: [{ added: once(2, calls) }] }),
    error: () => ({ mods: [{ added: once(2, failed) }] }),
    "an end in forced tokens": () => ({
      mods: [{ added: once(2, { type: "forceTokens", tokens: [120, END, 121] }) }],
    }),
    "forced tokens at the limit": () => ({ mods: [{ added: once(7, force) }] }),
    "a hidden question": () => ({
      mods: [{ added: once(3, { type: "forceTokens", tokens: encode("why?"), hidden: true }) }],
    }),
  },
  "several mods": {
    "edits compose": () => ({
      mods: [
        { forwardPass: (event) => edit({ ban: Array.from(topOf(event, 1).tokens) }) },
        { forwardPass: (event) => edit({ only: Array.from(topOf(event, 3).tokens) }) },
      ],
    }),
    "the first change wins": () => ({ mods: [{ sampled: once(3, force) }, { sampled: once(3, back) }] }),
  },
  "a mod at fault": {
    "an action that its event does not allow": () => ({
      mods: [{ finished: () => force, sampled: () => edit({}) }],
    }),
    "n too large": () => ({ mods: [{ added: once(1, { type: "backtrack", count: 9 }) }] }),
    "a token outside the vocabulary": () => ({
      mods: [{ added: once(1, { type: "forceTokens", tokens: [257] }) }],
    }),
    "no token left": () => ({
      mods: [{ forwardPass: at(1, edit({ ban: Array.from({ length: size }, (_, token) => token) })) }],
    }),
    "it throws": () => ({
      mods: [
        {
          added: () => {
            throw new Error("broken");
          },
        },
      ],
      request: { onModError: "continue" },
    }),
    "it forces without end": () => ({
      mods: [{ added: () => ({ type: "backtrack", count: 1 }) }],
      request: { budget: 12 },
    }),
  },
  sampling: {
    "temperature 0": () => ({ mods: [] }),
    "top-k": () => ({ mods: [], sampling: { temperature: 1.3, topK: 12 } }),
    "min-p": () => ({ mods: [], sampling: { temperature: 1, minP: 0.1 } }),
    "top-p": () => ({ mods: [], sampling: { temperature: 1, topP: 0.7 } }),
    "top-p at another temperature": () => ({ mods: [], sampling: { temperature: 0.6, topP: 0.9 } }),
    "presence and frequency penalty": () => ({
      mods: [],
      sampling: { presencePenalty: 2, frequencyPenalty: 1 },
    }),
    "bias of tokens": () => ({ mods: [], sampling: { logitBias: { 120: 9, 121: -9 } } }),
    "repetition penalty": () => ({
      mods: [],
      sampling: { repetitionPenalty: 1.2 },
      refused: /A repetition penalty needs the sign of each logit, but a server returns log-probabilities/,
    }),
  },
};

describe.each(Object.entries(tables))("%s", (_, rows) => {
  test.each(Object.entries(rows))("%s", async (__, row) => {
    const here = await outcome("here", row());
    for (const kind of ["whole rows", "64 listed", "20 listed"] as const) {
      const { refused, refusedListed } = row();
      const sentence = kind === "whole rows" ? refused : (refused ?? refusedListed);
      const found = await outcome(kind, row()).catch((error: Error) => error.message);
      if (sentence) expect(found, kind).toMatch(sentence);
      else expect(found, kind).toBe(here);
    }
  });
});

test("without cut-offs a seed gives the same tokens again, and the server may draw one", async () => {
  const row = { mods: [], sampling: { temperature: 1 } };
  for (const kind of ["whole rows", "64 listed", "20 listed"] as const)
    expect(await outcome(kind, row)).toBe(await outcome(kind, row));
});

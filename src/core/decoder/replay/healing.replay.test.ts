/** Requests in which a text was healed: verified without a model, and branched off at every step. */
import { expect, test } from "vitest";
import type { TraceRecord } from "../../trace/format/format.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { inProcessMod } from "../testing/in-process-mod.ts";
import { decodeRequest, type RunResult, runDecode } from "../testing/run-decode.ts";
import { wordTokenizer } from "../testing/word-tokenizer.ts";
import { type BranchPoint, isStepPass } from "./branch-point.ts";
import { verifyReplay } from "./verify.ts";

const words = ["It", " is", " ", " Paris", "Paris", ".", " Fr", "an", " France", "ce", " now"];
const tokenizer = wordTokenizer(words);
const end = words.length;
const id = (word: string) => words.indexOf(word);
const nextWords: Readonly<Record<string, readonly string[]>> = {
  " is": [" Paris", " France", " now"],
  " Paris": ["."],
  " France": [" now"],
  It: [" is"],
};

function logits(context: readonly number[]): Float32Array {
  const row = new Float32Array(end + 1);
  const next = nextWords[words[context.at(-1) ?? -1] ?? ""] ?? [];
  for (const [place, word] of next.entries()) row[id(word)] = 10 - place;
  if (next.length === 0) row[end] = 10;
  return row;
}

const quiet = { topK: 0, logits: false };

function forcing(text: string): ModHost {
  const mod = inProcessMod("forcer", {
    forwardPass: ({ step }) =>
      step === 0 ? { type: "forceTokens", tokens: tokenizer.encode(text), heal: true } : undefined,
    backtracked: () => undefined,
    added: () => undefined,
  });
  return Object.assign(mod, { needs: quiet });
}

const cases: Readonly<
  Record<string, { readonly mods: () => ModHost[]; readonly prompt: string; readonly raw?: true }>
> = {
  "a forced text": { mods: () => [forcing(" is ")], prompt: "It" },
  "a forced text of several tokens": { mods: () => [forcing(" is Fran")], prompt: "It" },
  "a raw prompt": { mods: () => [], prompt: "It is Fran", raw: true },
  "a raw prompt and a mod": {
    mods: () => [Object.assign(inProcessMod("watcher", { added: () => undefined }), { needs: quiet })],
    prompt: "It is ",
    raw: true,
  },
};
const named = Object.entries(cases).map(([name, each]) => ({ name, ...each }));

type Case = (typeof named)[number];

const requestOf = ({ prompt, raw }: Case, temperature: number) => {
  const base = decodeRequest("x");
  return {
    prompt: tokenizer.encode(prompt),
    ...(raw && { rawPrompt: true }),
    sampling: { ...base.sampling, temperature },
    seed: 3,
  };
};

function run(about: Case, temperature: number, branchPoint?: BranchPoint): Promise<RunResult> {
  return runDecode({
    mods: about.mods(),
    tokenizer,
    request: requestOf(about, temperature),
    model: { vocabularySize: end + 1, endOfSequence: [end], logits },
    ...(branchPoint && { branchPoint }),
  });
}

/** Tokens that were chosen, added and taken back. Passes that only read tokens again have no logits. */
const essence = (records: readonly TraceRecord[]) =>
  records.flatMap((record): unknown[] => {
    if (isStepPass(record)) return [[record.type, record.step]];
    if (record.type === "sampled")
      return [[record.type, record.step, record.token, record.draw, record.healed]];
    if (record.type === "added")
      return [[record.type, record.step, record.tokens, record.hidden, record.isOpen]];
    return record.type === "backtracked" ? [[record.type, record.step, record.removed]] : [];
  });

const isHealed = (records: readonly TraceRecord[]) =>
  records.some((record) => record.type === "sampled" && record.healed !== undefined);

test.each(named)("verify comes to the same records: $name", async (about) => {
  const { records } = await run(about, 0);
  expect(isHealed(records)).toBe(true);
  const mods = about.mods();
  const request = decodeRequest("x", {
    ...requestOf(about, 0),
    modSources: mods.map(({ name }) => ({ source: `source of ${name}` })),
  });
  expect(await verifyReplay(request, records, { tokenizer, mods, now: () => 0 })).toMatchObject({
    difference: null,
    missing: null,
  });
});

test.each(named.flatMap((about) => [0, 1].map((temperature) => ({ ...about, temperature }))))(
  "a branch at any step is its origin: $name, temperature $temperature",
  async (about) => {
    const { records, finished } = await run(about, about.temperature);
    for (const [at, record] of records.entries()) {
      if (!isStepPass(record)) continue;
      const branch = await run(about, about.temperature, { records, at, token: null });
      expect(branch.finished.text, `at record ${at}`).toBe(finished.text);
      expect(essence(branch.records), `at record ${at}`).toEqual(essence(records));
    }
  },
);

test.each(named)("mods that catch up at any step hear what the mods heard: $name", async (about) => {
  const { records, finished } = await run(about, 0);
  const follows = about.mods().map((_, mod) => mod);
  for (const [at, record] of records.entries()) {
    if (!isStepPass(record)) continue;
    const branch = await run(about, 0, { records, at, token: null, follows });
    expect(branch.finished.text, `at record ${at}`).toBe(finished.text);
    const [first] = branch.records;
    expect(first?.type === "request" && first.branch?.difference, `at record ${at}`).toBeNull();
  }
});

test("a token that a user chooses at a healed step is taken", async () => {
  const about = named[0] as Case;
  const { records } = await run(about, 0);
  const at = records.findIndex((record) => record.type === "sampled") - 2;
  expect(records[at]?.type).toBe("forwardPass");
  const branch = await run(about, 0, { records, at, token: id(" now") });
  expect(branch.finished.text).toBe(" is now");
});

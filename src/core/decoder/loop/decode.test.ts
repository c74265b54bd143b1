/**
 * The loop on the alphabet model, which after "abcd" says "efgh…" up to "z" and then ends: what it says shows what it has
 * read. Each row is a request; the words of the expected log stand in `testing/trace-log.ts`, `p` are the passes.
 */
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../sdk/request.ts";
import { requireAllLogits } from "../ports/mod-host.ts";
import { byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { type RunOptions, runDecode } from "../testing/run-decode.ts";
import { checkTrace, passSizes, traceLog } from "../testing/trace-log.ts";

interface Row extends Omit<RunOptions, "mods"> {
  /** Handlers of each mod, in order. */
  readonly mods?: readonly Handlers[];
  readonly log: string;
  readonly passes?: readonly number[];
}

const encode = byteTokenizer.encode;
const force = (text: string) => ({ type: "forceTokens", tokens: encode(text) });
const back = (count: number, text?: string) => ({
  type: "backtrack",
  count,
  ...(text !== undefined && { tokens: encode(text) }),
});
const output = (text: string) => ({ type: "forceOutput", tokens: encode(text) });
const edit = (logits: unknown, temperature?: number) => ({ type: "adjustLogits", logits, temperature });
const prefill = (text: string, maxSteps?: number) => ({
  type: "adjustPrefill",
  tokens: encode(text),
  maxSteps,
});
const calls = (...names: string[]) => ({
  type: "toolCalls",
  calls: names.map((name) => ({ name, arguments: { a: 1 } })),
});
const [a = 0, x = 0, f = 0, g = 0] = encode("axfg");

/** Answers once, when `step` tokens are emitted. */
function once(step: number, action: unknown): (event: { step: number }) => unknown {
  let isDone = false;
  return (event) => {
    if (isDone || event.step !== step) return undefined;
    isDone = true;
    return action;
  };
}

const limit = (maxTokens: number) => ({ request: { maxTokens } });

async function check({ mods = [], log, passes, ...options }: Row): Promise<void> {
  const hosts = mods.map((handlers, index) => inProcessMod(`mod${index}`, handlers));
  const { records, model, finished } = await runDecode({ ...options, mods: hosts });
  expect(traceLog(records)).toBe(log);
  const { tokens } = checkTrace(records);
  const prompt = records.flatMap((record) => (record.type === "prefilled" ? record.tokens : []));
  const sequence = [...prompt.map(({ token }) => token), ...tokens];
  // The model's context is what the client has, up to tokens that it has not read yet.
  expect(sequence.slice(0, model.context.length)).toEqual(model.context);
  if (finished.reason !== "tool_calls" && (options.request?.stop ?? []).length === 0)
    expect(finished.text).toBe(byteTokenizer.decode(tokens));
  expect(passSizes(records).filter((count) => count > 0)).toEqual(
    model.passes.map((pass) => pass.tokens.length),
  );
  if (passes) expect(passSizes(records)).toEqual(passes);
  expect(finished.usage.forwardPasses).toBe(model.passes.length);
}

const tables: Record<string, Record<string, Row>> = {
  "without a mod": {
    "until the limit": { ...limit(3), log: "e f g length:efg", passes: [4, 1, 1] },
    "until the end of sequence": { prompt: "wx", log: "y z $ stop:yz", passes: [2, 1, 1] },
    "an end of sequence as the last token is an end": { prompt: "wx", ...limit(3), log: "y z $ stop:yz" },
    "no tokens at all": { ...limit(0), log: "length:", passes: [] },
    "a stop sequence": { request: { stop: ["g"] }, log: "e f g stop:ef" },
    "a stop sequence over several tokens": { request: { stop: ["zz", "fgh"] }, log: "e f g h stop:e" },
    "of several stop sequences the first in the text": {
      request: { stop: ["gh", "fgh"] },
      log: "e f g h stop:e",
    },
    "a prompt that fills the context": { model: { capacity: 4 }, log: "e length:e", passes: [4] },
    "a context that fills up": { model: { capacity: 6 }, log: "e f g length:efg", passes: [4, 1, 1] },
    "a prompt above the context": { model: { capacity: 3 }, log: "error:", passes: [] },
  },
  forceTokens: {
    "at forwardPass": {
      mods: [{ forwardPass: once(1, force("XY")) }],
      ...limit(5),
      log: "e !XY Z $ stop:eXYZ",
      passes: [4, 1, 2, 1],
    },
    "at sampled drops the sampled token": {
      mods: [{ sampled: once(1, force("mn")) }],
      ...limit(5),
      log: "e !mn o p length:emnop",
      passes: [4, 1, 2, 1],
    },
    "at added follows it, in one pass": {
      mods: [{ added: once(1, force("mn")) }],
      ...limit(5),
      log: "e !mn o p length:emnop",
      passes: [4, 3, 1],
    },
    "before anything is sampled": {
      mods: [{ forwardPass: once(0, force("m")) }],
      ...limit(2),
      log: "!m n length:mn",
      passes: [4, 1],
    },
    "from added, twice": {
      mods: [{ added: (event) => [null, force("k"), force("p")][event.step] }],
      ...limit(4),
      log: "e !k !p q length:ekpq",
      passes: [4, 3],
    },
    "an end of sequence inside ends there": {
      mods: [{ sampled: once(1, { type: "forceTokens", tokens: [x, END, a, a] }) }],
      log: "e !x$ stop:ex",
      passes: [4, 1],
    },
    "cut at the limit": {
      mods: [{ sampled: once(1, force("mnopq")) }],
      ...limit(3),
      log: "e !mn length:emn",
    },
    "at the limit nothing is left to force": {
      mods: [{ added: once(3, force("mnopq")) }],
      ...limit(3),
      log: "e f g length:efg",
    },
    "a stop sequence in forced tokens": {
      mods: [{ sampled: once(1, force("hello, you")) }],
      request: { maxTokens: 20, stop: [", "] },
      log: "e !hello,_you stop:ehello",
    },
  },
  backtrack: {
    "at forwardPass counts emitted tokens": {
      mods: [{ forwardPass: once(3, back(2, "X")) }],
      ...limit(4),
      log: "e f g <2 ^X Y Z length:eXYZ",
      passes: [4, 1, 1, 1, 1, 1],
    },
    "at sampled drops the pending token": {
      mods: [{ sampled: once(3, back(2, "X")) }],
      ...limit(4),
      log: "e f g <2 ^X Y Z length:eXYZ",
      passes: [4, 1, 1, 1, 1, 1],
    },
    "at added counts the token just added": {
      mods: [{ added: once(3, back(2, "X")) }],
      ...limit(3),
      log: "e f g <2 ^X Y length:eXY",
      passes: [4, 1, 1, 1],
    },
    "without tokens, at forwardPass: the last token runs again": {
      mods: [{ forwardPass: once(3, back(1)) }],
      ...limit(4),
      log: "e f g <1 g h length:efgh",
      passes: [4, 1, 1, 1, 1, 1],
    },
    "without tokens, at sampled": {
      mods: [{ sampled: once(3, back(2)) }],
      ...limit(4),
      log: "e f g <2 f g h length:efgh",
      passes: [4, 1, 1, 1, 1, 1, 1],
    },
    "without tokens, at added: the logits are at hand": {
      mods: [{ added: once(3, back(1)) }],
      ...limit(3),
      log: "e f g <1 g length:efg",
      passes: [4, 1, 1, 0],
    },
    "of no tokens drops the pending one": {
      mods: [{ sampled: once(1, back(0)) }],
      ...limit(2),
      log: "e f length:ef",
      passes: [4, 1, 0],
    },
    "of no tokens puts tokens in place of the pending one": {
      mods: [{ sampled: once(1, back(0, "X")) }],
      ...limit(3),
      log: "e ^X Y length:eXY",
      passes: [4, 1, 1],
    },
    "of all": {
      mods: [{ added: once(3, back(3)) }],
      ...limit(3),
      log: "e f g <3 e f g length:efg",
      passes: [4, 1, 1, 0, 1, 1],
    },
    "of all, with tokens": {
      mods: [{ added: once(3, back(3, "mn")) }],
      ...limit(3),
      log: "e f g <3 ^mn o length:mno",
      passes: [4, 1, 1, 2],
    },
    "of forced tokens": {
      mods: [
        {
          sampled: once(1, force("XY")),
          added: (event) => (event.source === "forced" ? back(1, "m") : null),
        },
      ],
      ...limit(3),
      log: "e !XY <1 ^m length:eXm",
    },
    "of reinjected tokens": {
      mods: [
        {
          added: (event) => {
            if (event.source === "sampled" && event.step === 1) return back(1, "kl");
            return event.source === "reinjected" && event.step === 2 ? back(2, "p") : null;
          },
        },
      ],
      ...limit(3),
      log: "e <1 ^kl <2 ^p q r length:pqr",
      passes: [4, 1, 1],
    },
    "at the limit makes room again": {
      mods: [{ added: once(3, back(2)) }],
      ...limit(3),
      log: "e f g <2 f g length:efg",
    },
    "with tokens cut at the limit": {
      mods: [{ added: once(3, back(1, "klmn")) }],
      ...limit(3),
      log: "e f g <1 ^k length:efk",
    },
    "vetoes the end of sequence": {
      prompt: "xy",
      mods: [{ added: (event) => (event.isEos && event.step === 2 ? back(1, "abc") : null) }],
      ...limit(6),
      log: "z $ <1 ^abc d e length:zabcde",
      passes: [2, 1, 3, 1],
    },
    "vetoes a forced end of sequence": {
      mods: [
        {
          sampled: once(0, { type: "forceTokens", tokens: [x, END] }),
          added: (event) => (event.isEos ? back(1) : null),
        },
      ],
      ...limit(2),
      log: "!x$ <1 y length:xy",
    },
    "with an end of sequence among its tokens": {
      mods: [{ added: once(1, { type: "backtrack", count: 1, tokens: [x, END, x] }) }],
      log: "e <1 ^x$ stop:x",
    },
    "takes a stop sequence back before it is seen": {
      mods: [{ added: once(3, back(1, "x")) }],
      request: { maxTokens: 4, stop: ["g"] },
      log: "e f g <1 ^x y length:efxy",
    },
    "joins a stop sequence with what stays": {
      mods: [{ added: once(3, back(1, "xfg")) }],
      request: { maxTokens: 9, stop: ["fx"] },
      log: "e f g <1 ^xfg stop:e",
    },
  },
  forceOutput: {
    "at prefilled": { mods: [{ prefilled: () => output("done") }], log: "!done forced:done", passes: [] },
    "at forwardPass": { mods: [{ forwardPass: once(2, output("done")) }], log: "e f <2 !done forced:done" },
    "at sampled": { mods: [{ sampled: once(1, output("done")) }], log: "e <1 !done forced:done" },
    "at added": { mods: [{ added: once(2, output("done")) }], log: "e f <2 !done forced:done" },
    "of nothing": { mods: [{ added: once(2, output("")) }], log: "e f <2 forced:" },
    "cut at the limit": {
      mods: [{ added: once(2, output("done")) }],
      ...limit(3),
      log: "e f <2 !don forced:don",
    },
    "an answer to its own added changes nothing": {
      mods: [
        {
          added: (event) => {
            if (event.step === 2) return output("done");
            return event.step === 4 ? back(1) : null;
          },
        },
      ],
      log: "e f <2 !done ?0 forced:done",
    },
  },
  "toolCalls and error": {
    "tool calls at prefilled": { mods: [{ prefilled: () => calls("search") }], log: "tool_calls:" },
    "tool calls at forwardPass": { mods: [{ forwardPass: once(1, calls("search")) }], log: "e tool_calls:" },
    "tool calls at sampled": { mods: [{ sampled: once(1, calls("search")) }], log: "e tool_calls:" },
    "tool calls at added": { mods: [{ added: once(1, calls("search", "read")) }], log: "e tool_calls:" },
    "error at prefilled": { mods: [{ prefilled: () => ({ type: "error", message: "no" }) }], log: "error:" },
    "error at forwardPass": {
      mods: [{ forwardPass: once(1, { type: "error", message: "no" }) }],
      log: "e error:e",
    },
    "error at sampled": { mods: [{ sampled: once(1, { type: "error", message: "no" }) }], log: "e error:e" },
    "error at added": { mods: [{ added: once(2, { type: "error", message: "no" }) }], log: "e f error:ef" },
  },
  adjustPrefill: {
    "replaces the prompt": {
      mods: [{ prefilled: () => prefill("lm") }],
      ...limit(2),
      log: "n o length:no",
      passes: [2, 1],
    },
    "replaces the limit": {
      mods: [{ prefilled: () => prefill("lm", 4) }],
      ...limit(2),
      log: "n o p q length:nopq",
    },
    "a longer prompt costs no output": {
      mods: [{ prefilled: () => prefill("abcdefghijk") }],
      ...limit(3),
      log: "l m n length:lmn",
    },
    "composes: the next mod sees it": {
      mods: [
        { prefilled: () => prefill("kk") },
        { prefilled: (event) => ({ type: "adjustPrefill", tokens: [...event.tokens, x], maxSteps: 1 }) },
      ],
      log: "y length:y",
      passes: [3],
    },
    "no limit replaces the context's": {
      mods: [{ prefilled: () => prefill("lm", 1e9) }],
      model: { capacity: 4 },
      log: "n o p length:nop",
    },
  },
  adjustLogits: {
    ban: { mods: [{ forwardPass: () => edit({ ban: [f] }) }], ...limit(3), log: "e g h length:egh" },
    only: { mods: [{ forwardPass: once(1, edit({ only: [x, a] })) }], ...limit(3), log: "e a b length:eab" },
    add: {
      mods: [{ forwardPass: once(1, edit({ add: { [x]: 11 } })) }],
      ...limit(3),
      log: "e x y length:exy",
    },
    "only, then ban, then add": {
      mods: [{ forwardPass: once(1, edit({ only: [f, g, x], ban: [f], add: { [x]: 9.5, [a]: 99 } })) }],
      ...limit(2),
      log: "e x length:ex",
    },
    "all logits": {
      mods: [
        {
          forwardPass: (event) =>
            event.step === 1
              ? edit(requireAllLogits(event).map((logit, token) => (token === f ? -5 : logit)))
              : null,
        },
      ],
      ...limit(2),
      log: "e g length:eg",
    },
    "composes: the next mod sees it": {
      mods: [
        { forwardPass: once(1, edit({ ban: [f] })) },
        {
          forwardPass: (event) =>
            event.step === 1 && event.logits?.[f] === Number.NEGATIVE_INFINITY ? edit({ ban: [g] }) : null,
        },
      ],
      ...limit(2),
      log: "e \0 length:e\0",
    },
    "temperature 0 is argmax": {
      request: { maxTokens: 2, sampling: hot() },
      mods: [{ forwardPass: () => edit({}, 0) }],
      log: "e f length:ef",
    },
    "an edit holds for one step": {
      mods: [{ forwardPass: once(0, edit({ ban: [f] })) }],
      ...limit(3),
      log: "e f g length:efg",
    },
    "dropped with the step": {
      mods: [{ forwardPass: once(1, edit({ ban: [f] })), sampled: once(1, back(0)) }],
      ...limit(2),
      log: "e f length:ef",
    },
  },
};

/** Temperature 1000: every token is as likely as any other. */
function hot() {
  return { ...defaultSampling, temperature: 1000 };
}

describe.each(Object.entries(tables))("%s", (_, rows) => {
  test.each(Object.entries(rows))("%s", (_name, row) => check(row));
});

/** The end of a text that a mod or a raw prompt puts before the model's own tokens is healed. */
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { LoopEvent, ModHost } from "../ports/mod-host.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { createTopTokenServer, withListedLogits } from "../testing/listed-model.ts";
import { type RunResult, runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { wordTokenizer } from "../testing/word-tokenizer.ts";

const words = [
  ...["It", " is", " ", " Paris", "Paris", ".", " Fr", "an", " France", "ce", " now", "x", "Fr", " no"],
];
const tokenizer = wordTokenizer(words);
const end = words.length;
const id = (word: string) => words.indexOf(word);

/** After " is" the model says " Paris", after any word "." and then it ends; " " and "an" stand where it has never seen them. */
const nextWords: Readonly<Record<string, readonly string[]>> = {
  " is": [" Paris", " France", " now"],
  " Paris": ["."],
  " France": ["."],
  " ": ["x"],
  an: ["x"],
  It: [" is"],
};

function logits(context: readonly number[]): Float32Array {
  const row = new Float32Array(end + 1);
  const next = nextWords[words[context.at(-1) ?? -1] ?? ""] ?? [];
  for (const [place, word] of next.entries()) row[id(word)] = 10 - place;
  if (next.length === 0) row[end] = 10;
  return row;
}

function force(text: string, options: object = { heal: true }, handlers: Handlers = {}): ModHost {
  return inProcessMod("forcer", {
    forwardPass: ({ step }) =>
      step === 0 ? { type: "forceTokens", tokens: tokenizer.encode(text), ...options } : undefined,
    ...handlers,
  });
}

function run(mods: readonly ModHost[], about: object = {}, kvCache?: KvCache): Promise<RunResult> {
  const { prompt = "It", ...request } = about as { prompt?: string };
  return runDecode({
    mods,
    tokenizer,
    request: { prompt: tokenizer.encode(prompt), ...request },
    model: { vocabularySize: end + 1, endOfSequence: [end], logits },
    ...(kvCache && { kvCache }),
  });
}

const typesOf = (records: readonly TraceRecord[]) =>
  records.filter(({ type }) => type !== "modCall" && type !== "scored").map(({ type }) => type);
const healedIn = (records: readonly TraceRecord[]) =>
  records.flatMap((record) => (record.type === "sampled" && record.healed ? [record.healed] : []));

test("a space at the end of a forced text becomes part of the next word, without a further pass", async () => {
  const healed = await run([force(" is ")]);
  expect(healed.finished.text).toBe(" is Paris.");
  expect(healedIn(healed.records)).toEqual([{ text: " ", tokens: 1, inPrompt: false }]);
  const plain = await run([force(" is ", {})]);
  expect(plain.finished.text).toBe(" is x");
  expect(healed.model.passes.slice(0, 3).map(({ tokens }) => tokens)).toEqual([
    [id("It")],
    [id(" is"), id(" ")],
    [id(" Paris")],
  ]);
});

test("the trace has the token that was taken back, the logits before it, and what was chosen", async () => {
  const { records } = await run([force(" is ")]);
  expect(typesOf(records)).toEqual([
    "request",
    "prefilled",
    "forwardPass",
    "added",
    "forwardPass",
    "backtracked",
    "forwardPass",
    "adjusted",
    "sampled",
    "added",
    "forwardPass",
    "sampled",
    "added",
    "forwardPass",
    "sampled",
    "added",
    "finished",
  ]);
});

test("several tokens that begin a longer one are taken back together", async () => {
  const { finished, records } = await run([force(" is Fran")]);
  expect(finished.text).toBe(" is France.");
  expect(healedIn(records)).toEqual([{ text: " Fran", tokens: 2, inPrompt: false }]);
});

test("a text stays as it is where the model would write its own tokens", async () => {
  const { finished, records } = await run([force(" is Paris")]);
  expect(finished.text).toBe(" is Paris.");
  expect(healedIn(records)).toEqual([]);
  expect(typesOf(records)).not.toContain("backtracked");
});

test.each([
  ["the action", [force(" is ", {})], {}],
  ["the request", [force(" is ")], { heal: false }],
])("%s switches healing off", async (_, mods, request) => {
  expect((await run(mods, request)).finished.text).toBe(" is x");
});

test.each([
  ["a mask", { logits: { mask: Uint32Array.of(1 << id("x")) } }],
  ["a list", { logits: { only: [id("x")] } }],
])("nothing is healed where %s says which token comes", async (_, edit) => {
  const handlers: Handlers = {
    forwardPass: ({ step }) => {
      if (step === 0) return { type: "forceTokens", tokens: tokenizer.encode(" is "), heal: true };
      return step === 2 ? { type: "adjustLogits", ...edit } : undefined;
    },
  };
  expect((await run([inProcessMod("forcer", handlers)])).finished.text).toBe(" is x");
});

test("nothing is healed where a forced span follows", async () => {
  const handlers: Handlers = {
    added: ({ step }) => (step === 2 ? { type: "forceTokens", tokens: [id("ce")] } : undefined),
  };
  expect((await run([force(" is ", { heal: true }, handlers)])).finished.text).toBe(" is ce");
});

test("a ban holds for the token that heals a text", async () => {
  const ban = inProcessMod("ban", {
    forwardPass: () => ({ type: "adjustLogits", logits: { ban: [id(" Paris")] } }),
  });
  expect((await run([force(" is "), ban])).finished.text).toBe(" is France.");
});

test("a text that ends in a stop sequence is not healed across it", async () => {
  const { finished } = await run([force(" is ")], { stop: [" "] });
  expect(finished.text).toBe("");
  const raw = await run([], { prompt: "It is ", rawPrompt: true, stop: [" "] });
  expect(healedIn(raw.records)).toEqual([]);
});

test("the end of a raw prompt is healed, and is no part of the output's text", async () => {
  const { finished, records } = await run([], { prompt: "It is Fran", rawPrompt: true });
  expect(finished.text).toBe("ce.");
  expect(finished.usage.promptTokens).toBe(4);
  expect(healedIn(records)).toEqual([{ text: " Fran", tokens: 2, inPrompt: true }]);
  const added = records.flatMap((record) => (record.type === "added" ? record.tokens : []));
  expect(added.map(({ text }) => text)).toEqual(["ce", ".", ""]);
});

test("a prompt of messages is not healed", async () => {
  const { finished } = await run([], { prompt: "It is " });
  expect(finished.text).toBe("x");
});

test("a prompt that a mod gave as a text is healed", async () => {
  const mod = inProcessMod("prompt", {
    prefilled: () => ({ type: "adjustPrefill", tokens: tokenizer.encode("It is "), heal: true }),
  });
  expect((await run([mod])).finished.text).toBe("Paris.");
});

test("a cached prompt gives the same text as one that was read", async () => {
  const model = scriptedModel({ vocabularySize: end + 1, endOfSequence: [end], logits });
  const kvCache = new KvCache(model);
  const raw = { prompt: "It is ", rawPrompt: true };
  const first = await run([], raw, kvCache);
  const again = await run([], raw, kvCache);
  expect(first.finished.text).toBe("Paris.");
  expect(again.finished.text).toBe(first.finished.text);
  expect(again.finished.usage.forwardPasses).toBeLessThanOrEqual(first.finished.usage.forwardPasses);
});

test.each([
  ["a forced text", () => run([force(" is ")])],
  ["a prompt", () => run([], { prompt: "It is Fran", rawPrompt: true })],
])("each chosen token takes one pass after %s that is healed", async (_, healed) => {
  const { records, model } = await healed();
  expect(healedIn(records)).toHaveLength(1);
  const isForced = records.some((record) => record.type === "added" && record.source === "forced");
  const chosen = records.filter(({ type }) => type === "sampled").length;
  expect(model.passes).toHaveLength(chosen + (isForced ? 1 : 0));
});

describe("a model that gives the logits of the last position only", () => {
  const lastRowOnly = () =>
    new KvCache(scriptedModel({ vocabularySize: end + 1, endOfSequence: [end], logits, lastRowOnly: true }));

  test.each([
    ["a forced text", [force(" is Fran")], {}, " is France."],
    ["a prompt", [], { prompt: "It is Fran", rawPrompt: true }, "ce."],
  ])("heals %s, with one pass more", async (_, mods, about, text) => {
    const kvCache = lastRowOnly();
    const first = await run(mods, about, kvCache);
    expect(first.finished.text).toBe(text);
    expect(healedIn(first.records)).toHaveLength(1);
    // The first pass with a healable end showed that the graph is of this kind.
    expect(kvCache.returnsLastLogitsOnly).toBe(true);
    kvCache.truncate(0);
    const again = await run(mods, about, kvCache);
    expect(again.finished.text).toBe(text);
    const usual = await run(mods, about);
    expect(again.finished.usage.forwardPasses).toBe(usual.finished.usage.forwardPasses + 1);
  });

  test("keeps the text where the model would write its own tokens", async () => {
    const kvCache = lastRowOnly();
    const { finished, records } = await run([force(" is Paris")], {}, kvCache);
    expect(finished.text).toBe(" is Paris.");
    expect(healedIn(records)).toEqual([]);
    expect(kvCache.length).toBe(["It", " is", " Paris", "."].length);
  });
});

describe.each([false, true])(
  "a server that lists two tokens of each step (last position only: %s)",
  (lastRowOnly) => {
    const onServer = (server = createTopTokenServer(2)) =>
      new KvCache(
        withListedLogits(
          server,
          scriptedModel({ vocabularySize: end + 1, endOfSequence: [end], logits, lastRowOnly }),
        ),
      );

    /** The same mod, which reads no logits: a server cannot give all of them. */
    const forced = (text: string): ModHost => ({ ...force(text), needs: { topK: 0, logits: false } });

    test.each([
      ["a forced space", [forced(" is ")], {}, " is Paris."],
      ["a forced beginning of a word", [forced(" is Fran")], {}, " is France."],
      ["a word that is not listed", [forced(" is no")], {}, " is now"],
      ["a word that the model would write", [forced(" is Paris")], {}, " is Paris."],
      ["a raw prompt", [], { prompt: "It is Fran", rawPrompt: true }, "ce."],
      ["a text without healing", [forced(" is ")], { heal: false }, " is x"],
    ])("goes on from %s as a model with whole rows", async (_, mods, about, text) => {
      const [listed, whole] = [await run(mods, about, onServer()), await run(mods, about)];
      expect(listed.finished.text).toBe(text);
      expect(whole.finished.text).toBe(text);
      expect(healedIn(listed.records)).toEqual(healedIn(whole.records));
    });

    test("asks nothing more where the listed tokens show that the text stays", async () => {
      // After any text all tokens are nearly equal, and " Fr" is the most likely token.
      const flat = (): Float32Array =>
        Float32Array.from(words.concat("end"), (word) => (word === " Fr" ? 2 : Number(word === " is")));
      const about = { vocabularySize: end + 1, endOfSequence: [end], logits: flat, lastRowOnly };
      const named: number[] = [];
      for (const temperature of [0, 1]) {
        const server = createTopTokenServer(3);
        const sampling = { ...defaultSampling, temperature };
        const asked = { prompt: "It Fr", rawPrompt: true, maxTokens: 3, sampling };
        const kvCache = new KvCache(withListedLogits(server, scriptedModel(about)));
        const { records } = await run([], asked, kvCache);
        const whole = await run([], asked, new KvCache(scriptedModel(about)));
        if (temperature === 0) expect(healedIn(records)).toEqual(healedIn(whole.records));
        named.push(server.named);
      }
      expect(named[0]).toBe(0);
      expect(named[1]).toBeGreaterThan(0);
    });

    test("asks for the tokens that begin with the text by their names", async () => {
      const server = createTopTokenServer(2);
      const { records } = await run([forced(" is no")], {}, onServer(server));
      expect(healedIn(records)).toHaveLength(1);
      expect(server.named).toBeGreaterThan(0);
    });
  },
);

test("the prompt's own tokens stand again once the token that spelled its end is taken back", async () => {
  const sequences: string[] = [];
  const mod = inProcessMod("back", {
    sampled: ({ step, text }) => {
      sequences.push(`${step}${text}`);
      return sequences.length === 1 ? { type: "forceTokens", tokens: [id("x")] } : undefined;
    },
  });
  const { finished, model } = await run([mod], { prompt: "It is ", rawPrompt: true });
  expect(sequences[0]).toBe("0Paris");
  expect(finished.text).toBe("x");
  expect(model.context.slice(0, 4)).toEqual([id("It"), id(" is"), id(" "), id("x")]);
});

test("a mod that puts the same text in place again does not go round in circles", async () => {
  const mod = force(
    " Fr",
    { heal: true },
    {
      added: ({ step, source }) =>
        step === 2 && source === "sampled"
          ? { type: "backtrack", count: 1, tokens: tokenizer.encode(" "), heal: true }
          : undefined,
      forwardPass: ({ step }) =>
        step === 0 ? { type: "forceTokens", tokens: tokenizer.encode(" is "), heal: true } : undefined,
    },
  );
  const { finished, records } = await run([mod]);
  expect(finished.text).toBe(" is x");
  expect(healedIn(records)).toHaveLength(1);
});

test("mods hear of the text, of what is taken back, and of the token in its place", async () => {
  const seen: string[] = [];
  const note = (event: LoopEvent) => {
    seen.push(`${event.type} ${event.step}${"text" in event ? event.text : ""}`);
  };
  const watcher = inProcessMod("watcher", {
    forwardPass: note,
    sampled: note,
    added: note,
    backtracked: note,
  });
  await run([force(" is "), watcher]);
  expect(seen.slice(0, 7)).toEqual([
    "forwardPass 0",
    "added 2 is ",
    "forwardPass 2",
    "backtracked 1 ",
    "sampled 1 Paris",
    "added 2 Paris",
    "forwardPass 2",
  ]);
});

test("hidden text stays hidden when its end is healed", async () => {
  const handlers: Handlers = {
    forwardPass: ({ step }) =>
      step === 0
        ? { type: "forceTokens", tokens: tokenizer.encode(" "), hidden: true, heal: true }
        : undefined,
  };
  const { records } = await run([inProcessMod("asks", handlers)], { prompt: "It is" });
  const added = records.flatMap((record) => (record.type === "added" ? [record] : []));
  expect(added.map(({ tokens, hidden }) => [tokens[0]?.text, hidden])).toContainEqual([" Paris", true]);
});

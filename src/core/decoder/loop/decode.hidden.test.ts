/** Hidden tokens in the loop: what they count for, and what they leave behind. The log's words stand in testing/trace-log.ts. */
import { describe, expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { defaultSampling } from "../../sdk/request.ts";
import { alphabetLogits, byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { type RunOptions, runDecode } from "../testing/run-decode.ts";
import { checkTrace, traceLog } from "../testing/trace-log.ts";
import { SeededDraws } from "./draws.ts";

const { encode } = byteTokenizer;
const hide = (text: string) => ({ type: "forceTokens", tokens: encode(text), hidden: true });
const force = (text: string) => ({ type: "forceTokens", tokens: encode(text) });
const back = (count: number, text = "", hidden = false) => ({
  type: "backtrack",
  count,
  tokens: encode(text),
  hidden,
});

async function run({ mods = [], ...options }: Omit<RunOptions, "mods"> & { mods?: readonly Handlers[] }) {
  const hosts = mods.map((handlers, index) => inProcessMod(`mod${index}`, handlers));
  const result = await runDecode({ ...options, mods: hosts });
  const { tokens } = checkTrace(result.records);
  const { reason, text, usage } = result.finished;
  return { ...result, hosts, tokens, log: traceLog(result.records), ended: `${reason}:${text}`, usage };
}

/** Hides `prompt` at a step, and takes all of it out once so many tokens were sampled after it; `kept` goes in its place. */
function asking(step: number, prompt: string, answer: number, kept = ""): Handlers {
  let length = 0;
  let isDone = false;
  return {
    forwardPass: (event) => (!isDone && length === 0 && event.step === step ? hide(prompt) : undefined),
    added({ tokens, hidden }) {
      if (isDone || !hidden) return undefined;
      length += tokens.length;
      if (length < prompt.length + answer) return undefined;
      isDone = true;
      return back(length, kept);
    },
  };
}

const request = { maxTokens: 4 };

describe("hidden tokens count for nothing", () => {
  test.each<[name: string, mods: Handlers[], options: Omit<RunOptions, "mods">, log: string]>([
    [
      "the token limit",
      [asking(1, "a longer question", 1)],
      { request },
      "e !a_longer_question o <18 f g h length:efgh",
    ],
    ["the limit, asked where it is reached", [asking(3, "12", 0)], { request }, "e f g !12 <2 h length:efgh"],
    [
      "a stop sequence in the question",
      [asking(2, "\n?", 2)],
      { request: { ...request, stop: ["\n"] } },
      "e f !\n? @ A <4 g h length:efgh",
    ],
    [
      "a stop sequence in the answer",
      [asking(2, "?", 2)],
      { request: { ...request, stop: ["A"] } },
      "e f !? @ A <3 g h length:efgh",
    ],
    [
      "a stop sequence that the question ends",
      [asking(2, "z", 1)],
      { request: { ...request, stop: ["fz"] } },
      "e f !z $ <2 g h length:efgh",
    ],
  ])("not for %s", async (_, mods, options, log) => {
    const result = await run({ mods, ...options });
    expect(result.log).toBe(log);
    expect(result.usage.completionTokens).toBe(4);
  });

  test("usage has them apart", async () => {
    const { usage } = await run({ mods: [asking(1, "12", 1)], request });
    expect(usage).toMatchObject({ completionTokens: 4, hiddenTokens: 3, forwardPasses: 4 + 2 });
  });

  test("the budget of passes counts every pass", async () => {
    const { ended } = await run({ mods: [asking(1, "12", 6)], request: { ...request, budget: 5 } });
    expect(ended).toBe("budget:e");
  });

  test("penalties look at what stays, in the question and after it", async () => {
    const flat = () =>
      Float32Array.from({ length: 257 }, (_, token) => (token > 96 && token < 107 ? 10 - token / 100 : 0));
    const sampling = { ...defaultSampling, temperature: 0, presencePenalty: 3, repetitionPenalty: 1.5 };
    const options = { prompt: "p", model: { logits: flat }, request: { maxTokens: 6, sampling } };
    const plain = await run(options);
    expect(plain.ended).toBe("length:abcdef");
    const asked = await run({ ...options, mods: [asking(2, "fedc", 3)] });
    // Nothing of the question is penalized, so that the same token is the most likely again and again.
    expect(asked.log).toBe("a b !fedc c c c <7 c d e f length:abcdef");
  });
});

describe("what stays counts once it stays", () => {
  test("a stop sequence that is kept ends the request then, and cuts the text", async () => {
    const { log } = await run({ mods: [asking(1, "?", 2, "X.Y")], request: { maxTokens: 9, stop: ["."] } });
    expect(log).toBe("e !? @ A <3 ^X.Y stop:eX");
  });

  test("what is kept is cut at the limit", async () => {
    const { log, records } = await run({ mods: [asking(1, "?", 2, "wxyz")], request });
    expect(log).toBe("e !? @ A <3 ^wxy length:ewxy");
    const cuts = records.flatMap((record) =>
      record.type === "modCall" && record.action.type === "backtrack" ? [record.action.cut] : [],
    );
    expect(cuts).toEqual([1]);
  });

  test("tokens that are put in hidden, after others were taken out, begin another question", async () => {
    let isDone = false;
    const mod: Handlers = {
      added({ step, hidden }) {
        if (!isDone && step === 2) {
          isDone = true;
          return back(1, "yy", true);
        }
        return hidden ? back(2) : undefined;
      },
    };
    const { log, usage } = await run({ mods: [mod], request });
    expect(log).toBe("e f <1 ^yy <2 f g h length:efgh");
    expect(usage).toMatchObject({ completionTokens: 4, hiddenTokens: 2 });
  });
});

describe("a request that ends while something is hidden is left without it", () => {
  const open = (answer: unknown): Handlers => ({
    forwardPass: ({ step }) => {
      if (step === 2) return hide("??");
      return step === 5 ? answer : undefined;
    },
  });
  test.each<[string, unknown, Omit<RunOptions, "mods">, string]>([
    ["by an end of sequence", { type: "forceTokens", tokens: [END] }, {}, "e f !?? @ !$ <4 stop:ef"],
    ["by an error", { type: "error", message: "no" }, {}, "e f !?? @ <3 error:ef"],
    ["by tool calls", { type: "toolCalls", calls: { name: "f" } }, {}, "e f !?? @ <3 tool_calls:"],
    ["by its own output", { type: "forceOutput", tokens: encode("no") }, {}, "e f !?? @ <5 !no forced:no"],
    ["by the budget", undefined, { request: { budget: 5 } }, "e f !?? @ A <4 budget:ef"],
    ["by the end of the context", undefined, { model: { capacity: 10 } }, "e f !?? @ A B <5 length:ef"],
  ])("%s", async (_, answer, options, log) => {
    const result = await run({ mods: [open(answer)], ...options });
    expect(result.log).toBe(log);
    expect(result.usage.completionTokens).toBe(result.tokens.length);
  });

  test("cancelled, or when the model fails", async () => {
    const abort = new AbortController();
    const cancelling: Handlers = {
      ...open(undefined),
      sampled: ({ step }) => void (step === 5 && abort.abort()),
    };
    expect((await run({ mods: [cancelling], signal: abort.signal })).log).toMatch(
      /^e f !\?\? @( A)? <\d cancelled:ef$/,
    );
    const failing = {
      logits: (context: readonly number[]) => {
        if (context.length === 10) throw new Error("lost");
        return alphabetLogits(context);
      },
    };
    expect((await run({ mods: [open(undefined)], model: failing })).log).toBe("e f !?? @ A <4 error:ef");
  });

  test("the tokens that the last event has are those that stay", async () => {
    const seen: unknown[] = [];
    const mod: Handlers = {
      ...open({ type: "error", message: "no" }),
      finished: ({ tokens, step, text }) => void seen.push([byteTokenizer.decode(tokens), step, text]),
    };
    await run({ mods: [mod] });
    expect(seen).toEqual([["ef", 2, "ef"]]);
  });
});

describe("draws", () => {
  const sampling = { ...defaultSampling, temperature: 1.3 };
  const even = () => Float32Array.from({ length: 257 }, (_, token) => (token > 96 && token < 123 ? 9 : -30));
  const options = { prompt: "p", model: { logits: even }, request: { maxTokens: 12, sampling, seed: 5 } };
  const drawsOf = ({ records }: Awaited<ReturnType<typeof run>>) =>
    records.flatMap((record) => (record.type === "sampled" ? [[record.step, record.draw] as const] : []));

  test("a text without going back has one draw for each place: those of its seed", async () => {
    const draws = drawsOf(await run(options));
    expect(draws).toEqual(Array.from({ length: 12 }, (_, place) => [place, uniformRandom(5, place)]));
  });

  test.each<[string, Handlers]>([
    ["asked before a token is drawn", asking(4, "?!", 3)],
    ["asked again at the same place", { ...asking(4, "?!", 3) }],
    [
      "asked in place of a token that was drawn",
      (() => {
        const { added } = asking(4, "?!", 3);
        let isDone = false;
        return {
          sampled({ step, hidden }) {
            if (isDone || hidden || step !== 4) return undefined;
            isDone = true;
            return hide("?!");
          },
          ...(added && { added }),
        };
      })(),
    ],
    [
      "hidden from its first drawn token on",
      {
        forwardPass: (event) => {
          const { step, hidden } = event;
          return step === 4 && !hidden && !event.emitted.some(({ index }) => index > 4)
            ? { type: "adjustLogits", logits: {}, hidden: true }
            : undefined;
        },
        added: ({ step, hidden }) => (hidden && step === 7 ? back(3) : undefined),
      },
    ],
  ])("a hidden question takes none of them: %s", async (_, mod) => {
    let isAsked = false;
    const counting: Handlers = {
      backtracked({ hidden }) {
        if (hidden) isAsked = true;
      },
    };
    const once: Handlers = {
      ...mod,
      forwardPass: (event, log, score) => (isAsked ? undefined : mod.forwardPass?.(event, log, score)),
    };
    const asked = await run({ ...options, mods: [once, counting] });
    expect(isAsked).toBe(true);
    expect(asked.ended).toBe((await run(options)).ended);
  });

  test("tokens that are taken back are drawn anew, and a question there changes nothing about it", async () => {
    const goingBack = (): Handlers => {
      let times = 0;
      return { added: ({ step, hidden }) => (!hidden && step === 6 && times++ < 2 ? back(3) : undefined) };
    };
    const plain = await run({ ...options, mods: [goingBack()] });
    const places = drawsOf(plain).filter(([place]) => place === 4);
    expect(new Set(places.map(([, draw]) => draw)).size).toBe(3);
    const asked = await run({ ...options, mods: [asking(4, "?!", 3), goingBack()] });
    expect(asked.log).toContain("!?!");
    expect(asked.ended).toBe(plain.ended);
  });

  test("the first draw of a place, its second, and the hidden ones are all different", () => {
    const draws = new SeededDraws(7);
    const taken = [0, 1, 2, 3].flatMap((place) =>
      [0, 1, 2].flatMap(() => [draws.take(place, false), draws.take(place, true)]),
    );
    expect(new Set(taken).size).toBe(24);
    expect(draws.peek(0, false)).toBe(draws.take(0, false));
    const last = draws.take(2, true);
    draws.putBack(2, true);
    expect(draws.peek(2, true)).toBe(last);
  });
});

describe("mods", () => {
  test("are told what is hidden", async () => {
    const { hosts } = await run({
      mods: [
        asking(1, "??", 1),
        {
          forwardPass: () => undefined,
          sampled: () => undefined,
          added: () => undefined,
          backtracked: () => undefined,
        },
      ],
      request: { maxTokens: 2 },
    });
    const seen = hosts[1]?.events.map((event) => `${event.type} ${"hidden" in event ? event.hidden : ""}`);
    expect(seen).toEqual([
      ...["forwardPass false", "sampled false", "added false"],
      ...[
        "forwardPass false",
        "added true",
        "forwardPass true",
        "sampled true",
        "added true",
        "backtracked true",
      ],
      ...["forwardPass false", "sampled false", "added false"],
    ]);
  });

  test("one that fails with something hidden leaves nothing of it, where the request goes on", async () => {
    const failing: Handlers = {
      forwardPass: ({ step }) => (step === 1 ? hide("??") : undefined),
      sampled: ({ hidden }) => {
        if (hidden) throw new Error("no");
      },
    };
    const { log } = await run({ mods: [failing], request: { ...request, onModError: "continue" } });
    expect(log).toBe("e !?? x0:threw @ <3 f g h length:efgh");
  });

  test("text that another mod forces after hidden tokens is hidden with them", async () => {
    const other: Handlers = { added: ({ tokens }) => (tokens.length === 2 ? force("x") : undefined) };
    const { log, usage } = await run({ mods: [asking(1, "??", 2), other], request });
    expect(log).toBe("e !?? !x y <4 f g h length:efgh");
    expect(usage.hiddenTokens).toBe(4);
  });

  test.each<[string, Handlers, string]>([
    ["forceTokens", { added: () => ({ ...force("x"), hidden: 1 }) }, "hidden is 1: give true or false."],
    [
      "backtrack",
      { added: () => ({ ...back(1, "x"), hidden: "yes" }) },
      'hidden is "yes": give true or false.',
    ],
    [
      "adjustLogits",
      { forwardPass: () => ({ type: "adjustLogits", logits: {}, hidden: {} }) },
      "hidden is an object: give true or false.",
    ],
  ])("%s with something else than a flag is refused", async (_, mod, sentence) => {
    const { finished } = await run({ mods: [mod] });
    expect(finished.error?.message).toContain(sentence);
  });
});

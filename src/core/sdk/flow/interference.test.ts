/** Self-prompts together with other mods, and their effect on the surrounding text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { END } from "../../decoder/testing/byte-tokenizer.ts";
import { choices } from "../../masks/strategies/choices.ts";
import { regex } from "../../masks/strategies/regex.ts";
import { until } from "../../masks/strategies/until.ts";
import type { Strategy } from "../../masks/strategy.ts";
import { mod } from "../mod.ts";
import type { TokenId } from "../request.ts";
import { selfPrompt, selfPromptMod } from "./self-prompt.ts";
import { createScriptedLogits, runMods } from "./testing/run-mod.ts";

/** A model whose every token depends on its whole context, with three tokens close together; it never ends by itself. */
function mazeOf(seed: number): (context: readonly TokenId[]) => Float32Array {
  return (context) => {
    let state = seed;
    for (const token of context) state = (Math.imul(state ^ token, 0x9e3779b1) ^ (state >>> 15)) >>> 0;
    return Float32Array.from({ length: 257 }, (_, token) => {
      if (token === END) return -50;
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const isText = token >= 32 && token < 127;
      return (isText ? 0 : -30) + state / 2 ** 30;
    });
  };
}

const request = { maxTokens: 45 };
const strategies: readonly Strategy[] = [
  choices(["yes", "no", "maybe"]),
  choices(["hi", "hit", "hits"]),
  regex(/\d{1,4}/),
  regex(/[a-f]{3}( [a-f]{2})?/),
  until({ start: "<", end: { anyOf: ">.,;:" }, maxTokens: 5 }),
];

describe("the text around a self-prompt is what it would be without", () => {
  const scenario = fc.record({
    seed: fc.nat(2 ** 30),
    step: fc.nat(8),
    prompt: fc.constantFrom("", "Q:", " really? "),
    strategy: fc.constantFrom(...strategies),
    completion: fc.constantFrom("", "\n", "!!"),
    erase: fc.constantFrom("none", "prompt", "all"),
    times: fc.integer({ min: 1, max: 3 }),
    temperature: fc.constantFrom(undefined, 0, 2),
  } as const);

  test("erased, it leaves no token; else exactly its own", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ seed, step, times, ...options }) => {
        const logits = mazeOf(seed);
        const prompt = "Once upon";
        let answer: string | null = null;
        let left = times;
        const question = selfPrompt(options);
        const asking = mod((event, actions, tokenizer) => {
          if (event.step < step) return null;
          const action = question.handle(event, actions, tokenizer);
          answer = question.answer() ?? answer;
          // Asks again at once at the same place. The second question comes after what the first one left.
          if (!action && question.answer() !== null && event.type === "forwardPass" && --left > 0) {
            question.reset();
            return question.handle(event, actions, tokenizer);
          }
          return action;
        });
        const plain = await runMods([], { prompt, request, model: { logits } });
        const run = await runMods([asking], { prompt, request, model: { logits } });
        expect(run.faults).toEqual([]);
        expect(answer).not.toBeNull();
        if (options.erase === "all") {
          expect(run.text).toBe(plain.text);
          return;
        }
        // If another mod forces the same text at once, the text continues in the same way.
        expect(run.text.slice(0, step)).toBe(plain.text.slice(0, step));
        if (times > 1) return;
        const own =
          options.erase === "prompt" ? `${answer}` : `${options.prompt}${answer}${options.completion}`;
        const forced = mod((event, actions) =>
          event.type === "forwardPass" && event.step === step && own !== "" ? actions.forceTokens(own) : null,
        );
        const expected = await runMods([forced], { prompt, request, model: { logits } });
        expect(run.text).toBe(expected.text);
      }),
      { numRuns: 60 },
    );
  });
});

/** The model answers "Q:" with Yes and "P:" with No. It answers other prompts with dots, until there are four. */
const logits = createScriptedLogits({ "": ".", "Q:": "Y", "P:": "N", Ye: "s", "....": "" });
const yesNo = choices(["Yes", "No"]);
const first = () => selfPromptMod({ name: "first", prompt: "Q:", strategy: yesNo, erase: "all" });
const second = (erase: "none" | "all" = "all") =>
  selfPromptMod({ name: "second", prompt: "P:", strategy: yesNo, erase });
const run = (mods: Parameters<typeof runMods>[0]) =>
  runMods(mods, { prompt: "p", request: { maxTokens: 40, onModError: "continue" }, model: { logits } });

describe("beside other mods", () => {
  test("two self-prompts at one place: the second waits until the first is erased", async () => {
    const { log, faults } = await run([first(), second()]);
    expect(faults).toEqual([]);
    expect(log).toBe("?1 !Q: Y !es <5 !P: N !o <4 . . . . $ stop:....");
  });

  test("a question that stays waits for one that is hidden, and stays behind it", async () => {
    const { text, faults } = await run([first(), second("none")]);
    expect([text, faults]).toEqual(["P:No....", []]);
  });

  test("a question inside another one that stays leaves that one unanswered, and it says so", async () => {
    const stays = selfPromptMod({ name: "first", prompt: "Q:", strategy: yesNo });
    const { text, faults } = await run([stays, second("none")]);
    expect(text).toBe("Q:P:No....");
    expect(faults).toEqual([
      expect.stringMatching(
        /^The self-prompt "Q:" was interrupted and got no answer: another mod added \d+ tokens/,
      ),
    ]);
  });

  test("tokens that another mod forces into the answer are the answer's where they are allowed", async () => {
    const meddler = mod({
      added: (event, actions) => (event.text === "Q:" ? actions.forceTokens("N") : null),
    });
    const { log, faults } = await run([meddler, first()]);
    expect(faults).toEqual([]);
    expect(log).toBe("!Q: !N !o <4 . . . . $ stop:....");
  });

  test("tokens in the answer that are taken back again leave it as it was", async () => {
    const meddler = mod({
      added(event, actions) {
        if (event.text === "Q:") return actions.forceTokens("Yxx");
        return event.text === "Yxx" ? actions.backtrack(3) : null;
      },
    });
    const { log, faults } = await run([meddler, first()]);
    expect(faults).toEqual([]);
    expect(log).toBe("!Q: !Yxx <3 Y !es <5 . . . . $ stop:....");
  });

  test.each([
    ["a token of the answer, put back", 1, "e", "!Q: Y !e <1 ^e s <5 . . . . $ stop:...."],
    ["the answer, for another one", 2, "N", "!Q: Y !e <2 ^N !o <4 . . . . $ stop:...."],
    ["the answer, for nothing", 2, "", "!Q: Y !e <2 Y !e s <5 . . . . $ stop:...."],
    ["half of the prompt too", 3, "", "!Q: Y !e <3 !: Y !e s <5 . . . . $ stop:...."],
    ["all of it", 4, "", "!Q: Y !e <4 !Q: Y !e s <5 . . . . $ stop:...."],
    ["all of it, for a text of its own", 4, "x", "!Q: Y !e <4 ^x !Q: Y !e s <5 . . . . $ stop:x...."],
  ])("another mod takes back %s: what is missing is made good", async (_, count, text, log) => {
    let isDone = false;
    const meddler = mod({
      added(event, actions) {
        if (isDone || event.text !== "e") return null;
        isDone = true;
        return actions.backtrack(count, text);
      },
    });
    const strategy = choices(["Yes", "Yen", "No"]);
    const question = selfPromptMod({ prompt: "Q:", strategy, erase: "all" });
    const result = await run([meddler, question]);
    expect(result.faults).toEqual([]);
    expect(result.log).toBe(log);
  });

  test("another mod's text in the place of a complete answer stays", async () => {
    const meddler = mod({
      added: (event, actions) => (event.text === "es" ? actions.backtrack(2, "ESS") : null),
    });
    const { log, faults } = await run([meddler, first()]);
    expect(faults).toEqual([]);
    expect(log).toBe("!Q: Y !es ?1 <2 ^ESS <6 ^ESS . . . . $ stop:ESS....");
  });

  test("an action that lost against another mod's is asked for again, and the other mod's text stays", async () => {
    const meddler = mod({
      // Acts at the same events at which the prompt is forced and the question is removed.
      forwardPass: (event, actions) => (event.step === 0 ? actions.forceTokens("Hi! ") : null),
      added: (event, actions) => (event.text === "es" ? actions.forceTokens("Ho! ") : null),
    });
    const { log, text, faults } = await run([meddler, first()]);
    expect(faults).toEqual([]);
    expect(log).toBe("?1 !Hi!_ !Q: Y !es ?1 !Ho!_ <9 ^Ho!_ . . . . $ stop:Hi! Ho! ....");
    expect(text).toBe("Hi! Ho! ....");
  });

  test("another mod's text that begins like the prompt is still its own", async () => {
    const meddler = mod({
      forwardPass: (event, actions) => (event.step === 0 ? actions.forceTokens("Q") : null),
    });
    const { log, faults } = await run([meddler, first()]);
    expect(faults).toEqual([]);
    expect(log).toBe("?1 !Q !Q: Y !es <5 . . . . $ stop:Q....");
  });

  test("logits that another mod replaces afterwards are told of, not asked for for ever", async () => {
    const meddler = mod({
      name: "meddler",
      forwardPass: (_, actions) => actions.adjustLogits({ add: { 120: 1000 } }),
    });
    const flat = mod({
      forwardPass: (_, actions, tokenizer) => {
        const row = new Float32Array(tokenizer.vocabSize);
        row[120] = 9;
        return actions.adjustLogits(row);
      },
    });
    expect((await run([first(), meddler])).faults).toEqual([]);
    expect((await run([first(), flat])).faults).toEqual([
      'The self-prompt "Q:" does not allow "x" here, but the model sampled it: a later mod replaced the logits, or handle() did not get the forwardPass event. Put the mod with the question last.',
    ]);
  });

  test("a mod that hands on passes alone is told what is missing", async () => {
    const question = selfPrompt({ prompt: "Q:", strategy: yesNo });
    const half = mod({
      forwardPass: (event, actions, tokenizer) => question.handle(event, actions, tokenizer),
    });
    expect((await run([half])).faults).toEqual([
      'The self-prompt "Q:" missed 2 tokens: pass every event of the mod, at least forwardPass and added, to handle() until the answer is complete.',
    ]);
  });

  test("passes and added tokens are enough", async () => {
    const question = selfPrompt({ prompt: "Q:", strategy: choices(["Y", "Ye"]), erase: "all" });
    const two = mod({
      forwardPass: (event, actions, tokenizer) => question.handle(event, actions, tokenizer),
      added: (event, actions, tokenizer) => question.handle(event, actions, tokenizer),
    });
    const { log, faults } = await run([two]);
    expect(faults).toEqual([]);
    expect(log).toBe("!Q: !Y . <4 . . . . $ stop:....");
  });

  test.each<["all" | "prompt" | "none", string]>([
    ["all", "..."],
    ["prompt", "Yes"],
    ["none", "Q:Y"],
  ])(
    "a limit in the middle of the question, erase %s: what is hidden does not count",
    async (erase, text) => {
      const question = selfPromptMod({ prompt: "Q:", strategy: yesNo, erase });
      const { finished, faults } = await runMods([question], {
        prompt: "p",
        request: { maxTokens: 3 },
        model: { logits },
      });
      expect(faults).toEqual([]);
      expect(finished).toMatchObject({ reason: "length", text });
    },
  );
});

test("a self-prompt that is made inside a handler belongs to its request, and goes with it", async () => {
  let made: ReturnType<typeof selfPrompt> | null = null;
  const answers: (string | null)[] = [];
  const dynamic = mod((event, actions, tokenizer) => {
    if (event.type === "prefilled") made = selfPrompt({ prompt: "Q:", strategy: yesNo, erase: "all" });
    const action = made?.handle(event, actions, tokenizer);
    if (event.type === "finished") answers.push(made?.answer() ?? null);
    return action;
  });
  const { text, faults } = await run([dynamic]);
  expect([text, faults, answers]).toEqual(["....", [], ["Yes"]]);
  expect((made as ReturnType<typeof selfPrompt> | null)?.answer("request-1")).toBeNull();
});

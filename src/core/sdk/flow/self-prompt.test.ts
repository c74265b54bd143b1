import { describe, expect, test } from "vitest";
import { byteTokenizer, END } from "../../decoder/testing/byte-tokenizer.ts";
import { choices } from "../../masks/strategies/choices.ts";
import { regex } from "../../masks/strategies/regex.ts";
import { until } from "../../masks/strategies/until.ts";
import { mod } from "../mod.ts";
import { getConversation } from "../request-scope.ts";
import { type SelfPromptOptions, selfPrompt, selfPromptMod } from "./self-prompt.ts";
import { HandMadeEvents } from "./testing/hand-made-events.ts";
import { createScriptedLogits, runMods } from "./testing/run-mod.ts";

const yesNo = choices(["Yes", "No"]);
/** A model that writes "..", and Yes after "Q:". */
const dots = createScriptedLogits({ "": ".", "Q:": "YN", "..": "" });

describe("the table of the specification, on the scripted model", () => {
  test.each<[SelfPromptOptions["erase"], string | undefined, string, string]>([
    ["none", undefined, "Q:Yes..", "!Q: Y !es . . $"],
    ["none", "\n", "Q:Yes\n..", "!Q: Y !es !\n . . $"],
    ["prompt", undefined, "Yes..", "!Q: Y !es <5 ^Yes . . $"],
    ["prompt", "\n", "Yes..", "!Q: Y !es <5 ^Yes . . $"],
    ["all", undefined, "..", "!Q: Y !es <5 . . $"],
    ["all", "\n", "..", "!Q: Y !es <5 . . $"],
  ])("erase %s, completion %j: %j", async (erase, completion, text, log) => {
    const answers: (string | null)[] = [];
    const question = selfPrompt({
      prompt: "Q:",
      strategy: yesNo,
      ...(erase && { erase }),
      ...(completion && { completion }),
    });
    const asking = mod((event, actions, tokenizer) => {
      const action = question.handle(event, actions, tokenizer);
      answers.push(question.answer());
      return action;
    });
    const run = await runMods([asking], { prompt: "p", request: { maxTokens: 20 }, model: { logits: dots } });
    expect(run.faults).toEqual([]);
    expect(run.text).toBe(text);
    expect(run.log).toBe(`${log} stop:${text}`);
    expect([...new Set(answers)]).toEqual([null, "Yes"]);
  });

  test("a question of one open token costs three passes: before it, after its prompt, after its answer", async () => {
    const question = selfPromptMod({ prompt: "Q:", strategy: yesNo, erase: "all" });
    const run = await runMods([question], {
      prompt: "p",
      request: { maxTokens: 20 },
      model: { logits: dots },
    });
    expect(run.model.passes.map(({ at, tokens }) => [at, tokens.length])).toEqual([
      [0, 1],
      [1, 2],
      // The text continues from the logits after the prompt, which are still there.
      [1, 1],
      [2, 1],
    ]);
  });
});

describe("answers, event by event", () => {
  const asked = (options: Partial<SelfPromptOptions> = {}) => {
    const question = selfPrompt({ prompt: "Q:", strategy: choices(["A", "B"]), ...options });
    return { question, hand: new HandMadeEvents(question) };
  };

  test("forces the prompt, then masks", () => {
    const { question, hand } = asked();
    expect(hand.prefilled()).toBe("");
    expect(hand.forwardPass()).toBe('force "Q:"');
    expect(hand.added("Q:", "forced")).toBe("");
    expect(hand.forwardPass()).toBe("mask AB");
    expect(hand.sampled("A")).toBe("");
    expect(question.answer("r1")).toBeNull();
    expect(hand.added("A")).toBe("");
    expect(question.answer("r1")).toBe("A");
    expect(hand.forwardPass()).toBe("");
    expect(hand.text).toBe("Q:A");
  });

  test("a single choice is forced at once, without a forward pass", () => {
    const { hand } = asked({ strategy: choices(["Yellow"]), erase: "prompt" });
    hand.forwardPass();
    expect(hand.added("Q:", "forced")).toBe('force "Yellow"');
    expect(hand.added("Yellow", "forced")).toBe('back 8 "Yellow"');
    expect(hand.backtracked(8)).toBe("");
    expect(hand.added("Yellow", "reinjected")).toBe("");
    expect(hand.forwardPass()).toBe("");
  });

  test.each<[Partial<SelfPromptOptions>, string]>([
    [{ erase: "prompt" }, 'back 3 "Y"'],
    [{ erase: "prompt", completion: "\n" }, 'back 3 "Y"'],
    [{ erase: "all" }, "back 3"],
    [{ erase: "all", completion: "\n" }, "back 3"],
    [{ completion: "\n" }, 'force "\\n"'],
    [{ prompt: "", erase: "prompt" }, ""],
    [{ prompt: "", erase: "all" }, "back 1"],
    [{ erase: "all", prompt: [81, 58] }, "back 3"],
    [{ erase: "all", prompt: Int32Array.of(81, 58) }, "back 3"],
  ])("what follows the answer: %j", (options, action) => {
    const { hand } = asked({ strategy: choices(["Y", "N"]), ...options });
    if (hand.forwardPass() !== "mask NY") hand.added("Q:", "forced");
    expect(hand.added("Y")).toBe(action);
  });

  test("a temperature holds for the answer alone", () => {
    const { hand } = asked({ temperature: 0, erase: "all" });
    expect(hand.forwardPass()).toBe('force "Q:"');
    hand.added("Q:", "forced");
    expect(hand.forwardPass()).toBe("mask AB at 0");
    hand.added("A");
    hand.backtracked(3);
    expect(hand.forwardPass()).toBe("");
  });

  test("it begins where it is first handed a pass or added tokens, and leaves what is before", () => {
    const { hand } = asked({ erase: "all" });
    hand.output.append(byteTokenizer.encode("Once"), "sampled");
    expect(hand.added(" upon")).toBe('force "Q:"');
    hand.added("Q:", "forced");
    expect(hand.added("B")).toBe("back 3");
    hand.backtracked(3);
    expect(hand.text).toBe("Once upon");
  });

  test("it does not begin after an end of sequence", () => {
    const { hand } = asked();
    expect(hand.added(END)).toBe("");
    expect(hand.sampled("x")).toBe("");
  });

  test("two requests at once do not know of each other", () => {
    const { question, hand } = asked({ erase: "all" });
    const other = new HandMadeEvents(question, "r2");
    hand.forwardPass();
    hand.added("Q:", "forced");
    expect(other.forwardPass()).toBe('force "Q:"');
    question.replaceChoices(["C", "D"], "r2");
    hand.added("A");
    expect(question.answer("r1")).toBe("A");
    expect(question.answer("r2")).toBeNull();
    other.added("Q:", "forced");
    expect(other.forwardPass()).toBe("mask CD");
    other.added("D");
    expect(question.answer("r1")).toBe("A");
    expect(question.answer("r2")).toBe("D");
    expect(question.answer("r3")).toBeNull();
  });

  test("other choices before the first token of the answer", () => {
    const { question, hand } = asked({ prompt: "", strategy: choices(["cat", "dog"]) });
    expect(hand.forwardPass()).toBe("mask cd");
    question.replaceChoices(["owl", "bat"], "r1");
    expect(hand.forwardPass()).toBe("mask bo");
  });

  test("other choices in the middle of the answer: it is begun anew, after the same prompt", () => {
    const { question, hand } = asked({ strategy: choices(["cat", "cow"]) });
    hand.forwardPass();
    hand.added("Q:", "forced");
    hand.added("c");
    question.replaceChoices(["owl", "bat"], "r1");
    expect(hand.forwardPass()).toBe('back 3 "Q:"');
    hand.backtracked(3);
    hand.added("Q:", "reinjected");
    expect(hand.forwardPass()).toBe("mask bo");
  });

  test("it can be asked again in the same request", () => {
    const { question, hand } = asked({ erase: "prompt" });
    for (const answer of ["A", "B", "B"]) {
      expect(hand.forwardPass()).toBe('force "Q:"');
      hand.added("Q:", "forced");
      expect(hand.added(answer)).toBe(`back 3 "${answer}"`);
      hand.backtracked(3);
      hand.added(answer, "reinjected");
      expect(hand.forwardPass()).toBe("");
      expect(question.answer("r1")).toBe(answer);
      question.reset("r1");
      expect(question.answer("r1")).toBeNull();
    }
    expect(hand.text).toBe("ABB");
  });

  test("reset in the middle of the answer begins it anew", () => {
    const { question, hand } = asked({ strategy: choices(["cat", "cow"]), erase: "all" });
    hand.forwardPass();
    hand.added("Q:", "forced");
    hand.added("c");
    question.reset("r1");
    expect(hand.forwardPass()).toBe('back 3 "Q:"');
    hand.backtracked(3);
    expect(hand.added("Q:", "reinjected")).toBe('force "c"');
  });
});

describe("an answer that may end or go on", () => {
  const hi = choices(["hi", "hit"]);
  const begin = (options: Partial<SelfPromptOptions>) => {
    const question = selfPrompt({ prompt: "Q:", strategy: hi, ...options });
    const hand = new HandMadeEvents(question);
    hand.forwardPass();
    expect(hand.added("Q:", "forced")).toBe('force "hi"');
    expect(hand.added("hi", "forced")).toBe("");
    return { question, hand };
  };

  test("any token may come there, and one that goes on is the answer's", () => {
    const { question, hand } = begin({});
    expect(hand.forwardPass()).toBe("");
    expect(hand.sampled("t")).toBe("");
    expect(hand.added("t")).toBe("");
    expect(question.answer("r1")).toBe("hit");
  });

  test.each<[Partial<SelfPromptOptions>, string]>([
    [{}, ""],
    [{ completion: "!" }, 'force "!"'],
    [{ erase: "prompt" }, 'back 4 "hi"'],
    [{ erase: "all" }, "back 4"],
    // The token was drawn at the answer's temperature, but is not part of the answer, so it is drawn again.
    [{ temperature: 0 }, "back 0"],
  ])("one that does not ends it, before it is emitted: %j", (options, action) => {
    const { question, hand } = begin(options);
    expect(hand.forwardPass()).toBe("temperature" in options ? "mask nothing at 0" : "");
    expect(hand.sampled(".")).toBe(action);
    expect(question.answer("r1")).toBe("hi");
  });

  test.each<[Partial<SelfPromptOptions>, string]>([
    [{}, ""],
    [{ completion: "!" }, 'back 1 "!"'],
    [{ erase: "prompt" }, 'back 5 "hi"'],
    [{ erase: "all" }, "back 5"],
  ])("without the sampled event it is seen when it is there: %j", (options, action) => {
    const { question, hand } = begin(options);
    hand.forwardPass();
    expect(hand.added(".")).toBe(action);
    expect(question.answer("r1")).toBe("hi");
  });

  test("an end of sequence ends the answer, and the request only where nothing follows", async () => {
    // After "Q:hi" the model would end. After the completion or the erased question, it continues with "..".
    const logits = createScriptedLogits({ "": ".", "Q:": "h", "Q:hi": "", "..": "" });
    const texts = [];
    for (const options of [{}, { completion: "\n" }, { erase: "prompt" }, { erase: "all" }] as const) {
      const question = selfPromptMod({ prompt: "Q:", strategy: hi, ...options });
      const run = await runMods([question], { prompt: "p", request: { maxTokens: 20 }, model: { logits } });
      expect(run.faults).toEqual([]);
      texts.push(run.text);
    }
    expect(texts).toEqual(["Q:hi", "Q:hi\n..", "hi..", ".."]);
  });

  test("a whole number of digits, then the text", async () => {
    const logits = createScriptedLogits({
      "": ".",
      "n=": "4",
      "n=4": "2",
      "n=42": " ",
      "42 ": "x",
      "42 x": "",
    });
    const question = selfPromptMod({ prompt: "n=", strategy: regex(/\d{1,5}/) });
    const run = await runMods([question], { prompt: "p", request: { maxTokens: 20 }, model: { logits } });
    expect(run.log).toBe("!n= 4 2 _ x $ stop:n=42 x");
  });
});

test("a stop sequence is not part of the answer, and not of what is left of it", async () => {
  const { chars } = await import("../strategies.ts");
  const logits = createScriptedLogits({ "": ".", "n=": "4", "n=4": "2", "n=42": "\n", "42": ".", "..": "" });
  for (const [erase, text] of [
    ["none", "n=42\n.."],
    ["prompt", "42.."],
    ["all", ".."],
  ] as const) {
    const strategy = chars("digits", { min: 1, stop: "\n" });
    const question = selfPrompt({ prompt: "n=", strategy, erase });
    let answer: string | null = null;
    const asking = mod((event, actions, tokenizer) => {
      const action = question.handle(event, actions, tokenizer);
      answer = question.answer();
      return action;
    });
    const run = await runMods([asking], { prompt: "p", request: { maxTokens: 20 }, model: { logits } });
    expect([run.text, answer, run.faults]).toEqual([text, "42", []]);
  }
});

test("a start text is forced, free text follows", async () => {
  const logits = createScriptedLogits({
    "": ".",
    "<t>": "w",
    "<t>w": "h",
    "<t>wh": "<",
    "wh<": "/",
    "wh</": "t",
    "wh</t": ">",
    "..": "",
  });
  const question = selfPromptMod({ strategy: until({ start: "<t>", end: "</t>" }), erase: "all" });
  const run = await runMods([question], { prompt: "p", request: { maxTokens: 20 }, model: { logits } });
  expect(run.log).toBe("!<t> w h < / t > <9 . . $ stop:..");
});

describe("a prompt that ends with a space", () => {
  // A model whose words begin with a space, as in most models.
  const script = { "": ".", "Mood:": " ", "Mood: ": "gb", "..": "" };
  test.each<[SelfPromptOptions["erase"], string]>([
    ["none", "Mood: good.."],
    ["prompt", "good.."],
    ["all", ".."],
  ])("leaves the space to the answer, erase %s", async (erase, text) => {
    const question = selfPrompt({
      prompt: "Mood: ",
      strategy: choices(["good", "bad"]),
      ...(erase && { erase }),
    });
    const answers = new Set<string | null>();
    const asking = mod((event, actions, tokenizer) => {
      const action = question.handle(event, actions, tokenizer);
      answers.add(question.answer());
      return action;
    });
    const run = await runMods([asking], {
      prompt: "p",
      request: { maxTokens: 30 },
      model: { logits: createScriptedLogits(script) },
    });
    expect(run.faults).toEqual([]);
    expect(run.text).toBe(text);
    expect([...answers]).toEqual([null, "good"]);
  });
});

test("a prompt is made when the question is asked", async () => {
  const question = selfPrompt({ prompt: () => `${getConversation().length}:`, strategy: yesNo });
  const asking = mod((event, actions, tokenizer) => question.handle(event, actions, tokenizer));
  const run = await runMods([asking], {
    prompt: "p",
    request: { maxTokens: 20, messages: [{ role: "user", content: "p" }] },
    model: { logits: createScriptedLogits({ "": ".", "1:": "NY", "..": "" }) },
  });
  expect(run.faults).toEqual([]);
  expect(run.text).toBe("1:No..");
  expect(() => selfPrompt({ prompt: () => "x", strategy: yesNo })).not.toThrow();
});

test("a function that gives no prompt is the mod's fault", async () => {
  const question = selfPrompt({ prompt: (() => 4) as unknown as () => string, strategy: yesNo });
  const asking = mod((event, actions, tokenizer) => question.handle(event, actions, tokenizer));
  const run = await runMods([asking], { prompt: "p", model: { logits: dots } });
  expect(run.faults[0]).toContain('The function "prompt" returned 4: return a string or a list of tokens.');
});

describe("options that make no sense", () => {
  test.each<[Record<string, unknown>, string]>([
    [{ promt: "x" }, 'selfPrompt(...) has no option "promt". Did you mean "prompt"?'],
    [{ prompt: 4 }, '"prompt" is 4: give a string, a list of tokens'],
    [{ prompt: [1, "a"] }, '"prompt" is a list of 2'],
    [{ prompt: [-1] }, '"prompt" is a list of 1'],
    [{ strategy: undefined }, '"strategy" is undefined: use choices([…])'],
    [{ strategy: ["a"] }, '"strategy" is a list of 1'],
    [{ completion: ["\n"] }, '"completion" is a list of 1: give a string'],
    [{ erase: "ALL" }, '"erase" is "ALL": give "none", "prompt" or "all"'],
    [{ temperature: -1 }, '"temperature" is -1'],
    [{ temperature: Number.NaN }, '"temperature" is NaN'],
    [
      { temperature: 1001 },
      '"temperature" is 1001: give a number from 0 (always the most likely token) to 1000',
    ],
  ])("%j", (options, sentence) => {
    const all = { strategy: yesNo, ...options } as SelfPromptOptions;
    expect(() => selfPrompt(all)).toThrow(TypeError);
    expect(() => selfPrompt(all)).toThrow(sentence);
  });

  test("a prompt beyond the vocabulary is the mod's fault", async () => {
    const run = await runMods([selfPromptMod({ prompt: [400], strategy: yesNo })]);
    expect(run.faults).toEqual([
      expect.stringContaining("token 400 is not in the vocabulary, which has 257 tokens"),
    ]);
  });

  test("other strategies that are none", () => {
    const question = selfPrompt({ strategy: yesNo });
    expect(() => question.replaceStrategy("x" as never, "r1")).toThrow('replaceStrategy(...) was given "x"');
    expect(() => question.replaceChoices([], "r1")).toThrow("the list is empty");
  });

  test("outside a handler a request has to be named", () => {
    const question = selfPrompt({ strategy: yesNo });
    expect(() => question.answer()).toThrow("A self-prompt belongs to a request: read it inside a handler");
    expect(() => question.reset()).toThrow("belongs to a request");
  });
});

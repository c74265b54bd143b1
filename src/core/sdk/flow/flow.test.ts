import { describe, expect, test } from "vitest";
import { END } from "../../decoder/testing/byte-tokenizer.ts";
import { mod } from "../mod.ts";
import { chars, choices, list, until } from "../strategies.ts";
import { flow } from "./flow.ts";
import type { Question } from "./flow-graph.ts";
import { question } from "./question.ts";
import { end, message, output, summary, tool } from "./target.ts";
import { HandMadeEvents } from "./testing/hand-made-events.ts";
import { createScriptedLogits, runMods } from "./testing/run-mod.ts";

/** The model's answers to the prompts of these tests. It answers other prompts with dots, until there are two. */
const logits = createScriptedLogits({
  "": ".",
  "Q1:": "AB",
  "Q2:": "XY",
  "Q3:": "12",
  "Q4:": "A",
  "Q5:": "A",
  "Go:": "g",
  "way:": "l",
  "L1:": "a",
  "L2:": "b",
  "n=": "1",
  "n=1": "2",
  "n=12": "3",
  "..": "",
});

function run(entry: Question, options: { maxTokens?: number } = {}) {
  const whole = flow({ entry });
  let state = {};
  const asking = mod((event, actions, tokenizer) => {
    const action = whole.handle(event, actions, tokenizer);
    state = whole.state();
    return action;
  });
  return runMods([asking], { prompt: "p", request: { maxTokens: 80, ...options }, model: { logits } }).then(
    (result) => ({ ...result, state: state as ReturnType<typeof whole.state> }),
  );
}

type Erase = "none" | "prompt" | "all";
const asks = (name: string, responses: readonly string[], erase: Erase = "all", completion?: string) =>
  question({ name, prompt: ` ${name}:`, responses, erase, ...(completion !== undefined && { completion }) });

describe("three questions and a message", () => {
  const three = (erase: Erase, completion?: string) =>
    asks("Q1", ["A", "B"], erase, completion).then(
      asks("Q2", ["X", "Y"], erase, completion).then(asks("Q3", ["1", "2"], erase, completion).then("Done!")),
    );
  test.each<[Erase, string | undefined, string, string]>([
    ["all", undefined, "Done!..", "!_Q1: A <5 ^_Q2: X <5 ^_Q3: 1 <5 ^Done! . . $"],
    ["all", "\n", "Done!..", "!_Q1: A <5 ^_Q2: X <5 ^_Q3: 1 <5 ^Done! . . $"],
    ["none", "\n", " Q1:A\n Q2:X\n Q3:1\nDone!..", "!_Q1: A !\n_Q2: X !\n_Q3: 1 !\nDone! . . $"],
    ["none", "", " Q1:A Q2:X Q3:1Done!..", "!_Q1: A !_Q2: X !_Q3: 1 !Done! . . $"],
    ["prompt", "", "AX1Done!..", "!_Q1: A <5 ^A !_Q2: X <5 ^X !_Q3: 1 <5 ^1Done! . . $"],
  ])("erase %s, completion %j", async (erase, completion, text, log) => {
    const result = await run(three(erase, completion));
    expect(result.faults).toEqual([]);
    expect(result.log).toBe(`${log} stop:${text}`);
    expect(result.state).toMatchObject({ answers: { Q1: "A", Q2: "X", Q3: "1" } });
    // Passes: the first, one after each prompt, one after the message, one for the second dot, one for the end.
    expect(result.model.passes).toHaveLength(7);
  });
});

test("five questions, one after the other", async () => {
  const names = ["Q1", "Q2", "Q3", "Q4", "Q5"];
  const all = names.map((name) => asks(name, ["A", "B", "X", "1"]));
  all.forEach((asked, place) => void asked.then(all[place + 1] ?? end()));
  const { state, text, faults } = await run(all[0] as (typeof all)[0]);
  expect(faults).toEqual([]);
  expect(text).toBe("..");
  expect(state.history.map(({ question: name, answer }) => name + answer)).toEqual([
    "Q1A",
    "Q2X",
    "Q31",
    "Q4A",
    "Q5A",
  ]);
});

test("questions of different strategies", async () => {
  const last = asks("Q3", ["1", "2"]);
  const number = question({
    name: "n",
    prompt: "n=",
    strategy: chars("digits", { min: 3, max: 3 }),
    erase: "all",
  });
  const go = question({ name: "go", prompt: "Go:", strategy: choices(["go", "stop"]), erase: "all" });
  go.on("go", number.then(last)).otherwise(output("stopped"));
  const { state, faults } = await run(go);
  expect(faults).toEqual([]);
  expect(state.answers).toMatchObject({ go: "go", n: "123", Q3: "1" });
});

test("texts up to an end, and lists", async () => {
  const says = createScriptedLogits({
    "": ".",
    "<t>": "w",
    "<t>w": "<",
    "w<": "/",
    "</": "t",
    "</t": ">",
    "list:": "[",
    "[": "a",
    "[a": ",",
    ",": "b",
    ",b": "]",
    "..": "",
  });
  const thought = question({ name: "thought", strategy: until({ start: "<t>", end: "</t>" }), erase: "all" });
  const letters = question({
    name: "letters",
    prompt: "list:",
    strategy: list(choices(["a", "b"]), { open: "[", close: "]", separator: "," }),
    erase: "all",
  });
  const whole = flow({ entry: thought.then(letters) });
  let answers = {};
  const asking = mod((event, actions, tokenizer) => {
    const action = whole.handle(event, actions, tokenizer);
    answers = { ...whole.state().answers };
    return action;
  });
  const { faults, text } = await runMods([asking], {
    prompt: "p",
    request: { maxTokens: 60 },
    model: { logits: says },
  });
  expect(faults).toEqual([]);
  expect(answers).toEqual({ thought: "<t>w</t>", letters: "[a,b]" });
  expect(text).toBe("..");
});

describe("where an answer leads", () => {
  const router = () => question({ name: "way", prompt: " way:", responses: ["left", "right"], erase: "all" });

  test("to its own target, whatever the case and the space around it", async () => {
    const left = asks("L1", ["a"]).then(asks("L2", ["b"]).then("Left done"));
    const { log } = await run(router().on(" LEFT ", left).on("right", "Right"));
    expect(log).toBe("!_way: l !eft <9 ^_L1: !a <5 ^_L2: !b <5 ^Left_done . . $ stop:Left done..");
  });

  test.each([
    [
      "on, branch and then: on",
      (q: Question) =>
        q
          .on("left", "on")
          .branch(() => "branch")
          .then("then"),
      "on..",
    ],
    ["branch and then: branch", (q: Question) => q.branch(() => "branch").then("then"), "branch.."],
    [
      "the first branch that says anything",
      (q: Question) =>
        q
          .branch(() => undefined)
          .branch(() => null)
          .branch(() => "third")
          .branch(() => "fourth"),
      "third..",
    ],
    ["no branch says anything: then", (q: Question) => q.branch(() => undefined).then("then"), "then.."],
    ["the last then counts", (q: Question) => q.then("one").otherwise("two"), "two.."],
    ["nothing is said: the flow is over", (q: Question) => q.on("right", "right"), ".."],
    ["end", (q: Question) => q.then(end()), ".."],
    [
      "a function of the state",
      (q: Question) => q.then((state) => `to the ${state.answers.way}`),
      "to the left..",
    ],
    ["a function that gives a function", (q: Question) => q.then(() => () => message("deep")), "deep.."],
    ["a function that gives nothing", (q: Question) => q.then(() => undefined), ".."],
    ["a message that ends the request", (q: Question) => q.then(message("bye", { end: true })), "bye"],
    ["an output", (q: Question) => q.then((state) => output(`out:${state.answers.way}`)), "out:left"],
    ["a summary of its own", (q: Question) => q.then(summary("short", { end: true })), "short"],
    ["a summary of the answers", (q: Question) => q.then(summary()), "way: left\n.."],
  ])("%s", async (_, route, text) => {
    const result = await run(route(router()));
    expect(result.faults).toEqual([]);
    expect(result.text).toBe(text);
  });

  test("the flow's own summary", async () => {
    const entry = router().then(summary());
    const made = flow({
      entry,
      state: () => ({ n: 4 }),
      summary: ({ answers, data }) => `${answers.way} ${data.n}`,
    });
    const { text } = await runMods([made.asMod()], {
      prompt: "p",
      request: { maxTokens: 40 },
      model: { logits },
    });
    expect(text).toBe("left 4..");
  });

  test("tool calls, made once", async () => {
    let made = 0;
    const entry = router().then(
      tool((state) => {
        made += 1;
        return [{ name: "go", arguments: { way: state.answers.way } }];
      }),
    );
    const { finished, faults } = await run(entry);
    expect(faults).toEqual([]);
    expect(finished).toMatchObject({
      reason: "tool_calls",
      text: "",
      toolCalls: [{ type: "function", function: { name: "go", arguments: '{"way":"left"}' } }],
    });
    expect(made).toBe(1);
  });
});

describe("each exactly once", () => {
  test("assignments, branches and targets, in their order", async () => {
    const calls: string[] = [];
    const entry = asks("Q1", ["A", "B"], "prompt")
      .assign((state, answer) => {
        calls.push(`assign ${answer} ${state.answers.Q1} ${state.history.length}`);
        state.data.seen = answer;
      })
      .assign(() => calls.push("assign again"))
      .branch((state) => {
        calls.push(`branch ${state.data.seen}`);
        return undefined;
      })
      .then(() => {
        calls.push("then");
        return "end";
      });
    const { text } = await run(entry);
    expect(text).toBe("Aend..");
    expect(calls).toEqual(["assign A A 1", "assign again", "branch A", "then"]);
  });

  test.each([
    ["an assignment", (q: Question, fail: () => never) => q.assign(fail)],
    ["a branch", (q: Question, fail: () => never) => q.branch(fail)],
    ["a target", (q: Question, fail: () => never) => q.then(fail)],
    ["an auto-answer", (q: Question, fail: () => never) => q.autoAnswer(fail)],
    ["a check", (q: Question, fail: () => never) => q.retry({ times: 1, valid: fail })],
    ["tool calls", (q: Question, fail: () => never) => q.then(tool(fail))],
  ])("what %s throws is the mod's fault, and told once", async (_, route) => {
    let calls = 0;
    const fail = () => {
      calls += 1;
      throw new Error("my mistake");
    };
    const made = flow({ entry: route(asks("Q1", ["A", "B"]), fail) });
    const hand = new HandMadeEvents(made);
    const step = () => {
      hand.forwardPass();
      hand.added(" Q1:", "forced");
      hand.added("A");
    };
    expect(step).toThrow("my mistake");
    expect(hand.forwardPass()).toBe("");
    expect(hand.added("x")).toBe("");
    expect(calls).toBe(1);
    expect(made.isDone("r1")).toBe(true);
  });
});

describe("auto-answers", () => {
  test("a question that answers itself is not asked; assignments and targets work as ever", async () => {
    const assigned: string[] = [];
    const third = asks("Q3", ["1", "2"]);
    const second = asks("Q2", ["X", "Y"])
      .autoAnswer(() => " yes ")
      .assign((_, answer) => void assigned.push(answer))
      .on("yes", third);
    const { log, state } = await run(asks("Q1", ["A", "B"]).then(second));
    expect(log).toBe("!_Q1: A <5 ^_Q3: 1 <5 . . $ stop:..");
    expect(assigned).toEqual(["yes"]);
    expect(state.answers).toMatchObject({ Q1: "A", Q2: "yes", Q3: "1" });
    expect(state.history[1]).toEqual({ question: "Q2", answer: "yes", source: "auto", isAccepted: true });
  });

  test("the entry question too", async () => {
    const entry = asks("Q1", ["A", "B"])
      .autoAnswer(() => "A")
      .then(asks("Q2", ["X", "Y"]));
    const { log, state } = await run(entry);
    expect(log).toBe("!_Q2: X <5 . . $ stop:..");
    expect(state.answers).toMatchObject({ Q1: "A", Q2: "X" });
  });

  test("all of them: the model is not asked at all", async () => {
    const entry = asks("Q1", ["A"])
      .autoAnswer(() => "A")
      .then(
        asks("Q2", ["X"])
          .autoAnswer(() => "X")
          .then("Hi"),
      );
    expect((await run(entry)).log).toBe("!Hi . . $ stop:Hi..");
  });

  test.each([undefined, null, "", "  "])("%j leaves the question to the model", async (nothing) => {
    const entry = asks("Q1", ["A", "B"])
      .autoAnswer(() => nothing)
      .then(end());
    expect((await run(entry)).log).toBe("!_Q1: A <5 . . $ stop:..");
  });

  test("a loop of them ends with an error", async () => {
    const entry = asks("Q1", ["A"]).autoAnswer(() => "A");
    entry.then(entry);
    expect((await run(entry)).faults).toEqual([
      'The flow made 1000 steps after "Q1" without asking the model: end the loop, or let it reach a question.',
    ]);
  });
});

describe("loops and retries", () => {
  test("a question may be asked again: its last answer wins, and all are kept", async () => {
    // With erase "none" the second prompt stands after the first answer, and the third after that.
    const says = createScriptedLogits({ "": ".", " Q1:": "A", "A Q1:": "B", "B Q1:": "C", "..": "" });
    const entry = asks("Q1", ["A", "B", "C"], "none");
    entry.on("c", end()).otherwise(entry);
    const made = flow({ entry });
    let history: readonly string[] = [];
    const asking = mod((event, actions, tokenizer) => {
      const action = made.handle(event, actions, tokenizer);
      history = made.state().history.map(({ answer }) => answer);
      return action;
    });
    const { text, faults } = await runMods([asking], {
      prompt: "p",
      request: { maxTokens: 60 },
      model: { logits: says },
    });
    expect(faults).toEqual([]);
    expect(text).toBe(" Q1:A Q1:B Q1:C..");
    expect(history).toEqual(["A", "B", "C"]);
  });

  const tries = (erase: Erase, times: number, otherwise?: string) => {
    const says = createScriptedLogits({ "": ".", " Q1:": "A", "A Q1:": "B", "B Q1:": "C", "..": "" });
    const seen: string[] = [];
    const entry = asks("Q1", ["A", "B", "C"], erase)
      .assign((_, answer) => void seen.push(answer))
      .retry({ times, valid: (answer) => answer === "C", ...(otherwise !== undefined && { otherwise }) })
      .then("!");
    const made = flow({ entry });
    let history: unknown[] = [];
    const asking = mod((event, actions, tokenizer) => {
      const action = made.handle(event, actions, tokenizer);
      history = made.state().history.map(({ answer, isAccepted }) => [answer, isAccepted]);
      return action;
    });
    return runMods([asking], { prompt: "p", request: { maxTokens: 60 }, model: { logits: says } }).then(
      (result) => ({
        ...result,
        seen,
        history,
      }),
    );
  };

  test("an answer that is not valid is asked for again, and counts for nothing", async () => {
    const { text, seen, history, faults } = await tries("none", 5);
    expect(faults).toEqual([]);
    expect(text).toBe(" Q1:A Q1:B Q1:C!..");
    expect(seen).toEqual(["C"]);
    expect(history).toEqual([
      ["A", false],
      ["B", false],
      ["C", true],
    ]);
  });

  test("a refused answer leaves nothing, where only answers stay", async () => {
    const { log, history } = await tries("prompt", 2);
    expect(log).toBe("!_Q1: A <5 ^_Q1: A <5 ^_Q1: A <5 ^A! . . $ stop:A!..");
    expect(history).toEqual([
      ["A", false],
      ["A", false],
      ["A", true],
    ]);
  });

  test("when no try is left, the way out is taken, if there is one", async () => {
    const { text, seen, history } = await tries("all", 1, "Sorry!");
    expect(text).toBe("Sorry!..");
    expect(seen).toEqual([]);
    expect(history).toEqual([
      ["A", false],
      ["A", false],
    ]);
  });
});

describe("several requests side by side", () => {
  test("each has its own place, answers and data", () => {
    const third = asks("Q3", ["1", "2"]);
    const second = asks("Q2", ["X", "Y"]).then(third);
    const made = flow({
      entry: asks("Q1", ["A", "B"]).then(second),
      state: () => ({ n: Math.random() }),
    } as never);
    const one = new HandMadeEvents(made, "r1");
    const two = new HandMadeEvents(made, "r2");
    const answer = (hand: HandMadeEvents, prompt: string, said: string) => {
      hand.added(prompt, hand.output.length === 0 ? "forced" : "reinjected");
      const action = hand.added(said);
      hand.backtracked(5);
      return action;
    };
    expect(one.forwardPass()).toBe('force " Q1:"');
    expect(answer(one, " Q1:", "A")).toBe('back 5 " Q2:"');
    expect(two.forwardPass()).toBe('force " Q1:"');
    expect(answer(one, " Q2:", "Y")).toBe('back 5 " Q3:"');
    expect(answer(two, " Q1:", "B")).toBe('back 5 " Q2:"');
    expect(answer(one, " Q3:", "2")).toBe("back 5");
    expect(answer(two, " Q2:", "X")).toBe('back 5 " Q3:"');
    expect(one.forwardPass()).toBe("");
    expect(made.isDone("r1")).toBe(true);
    expect(made.isDone("r2")).toBe(false);
    expect(made.state("r1").answers).toEqual({ Q1: "A", Q2: "Y", Q3: "2" });
    expect(made.state("r2").answers).toEqual({ Q1: "B", Q2: "X" });
    expect(made.state("r1").data).not.toEqual(made.state("r2").data);
  });
});

test("an open answer before the next question: what was drawn after it is dropped, an end of sequence too", () => {
  const open = question({ name: "open", prompt: "O:", responses: ["hi", "hit"] });
  const hand = new HandMadeEvents(flow({ entry: open.then(asks("Q2", ["X", "Y"])) }));
  hand.forwardPass();
  hand.added("O:", "forced");
  hand.added("hi", "forced");
  expect(hand.forwardPass()).toBe("");
  expect(hand.sampled(END)).toBe('force " Q2:"');
  hand.added(" Q2:", "forced");
  expect(hand.forwardPass()).toBe("mask XY");
});

test("an open answer before the last action: it comes at once", () => {
  const open = question({ name: "open", responses: ["hi", "hit"] });
  const hand = new HandMadeEvents(flow({ entry: open.then(output("out")) }));
  hand.forwardPass();
  hand.added("hi", "forced");
  expect(hand.sampled(".")).toBe('output "out"');
});

test("an open answer before a question without a prompt: what was drawn is dropped, and drawn anew", () => {
  const open = question({ name: "open", responses: ["hi", "hit"] });
  const next = question({ name: "next", responses: ["X", "Y"] });
  const hand = new HandMadeEvents(flow({ entry: open.then(next) }));
  hand.forwardPass();
  hand.added("hi", "forced");
  expect(hand.sampled("X")).toBe("back 0");
  expect(hand.forwardPass()).toBe("mask XY");
});

describe("mistakes are told when the flow is made", () => {
  const q = () => asks("Q1", ["A"]);
  test.each<[string, () => unknown, string]>([
    ["two of one name", () => flow({ entry: q().then(q()) }), 'Two questions of the flow are called "Q1"'],
    [
      "two of one name, far apart",
      () =>
        flow({
          entry: asks("a", ["x"])
            .on("x", q())
            .then(asks("b", ["x"]).retry({ times: 1, valid: () => true, otherwise: q() })),
        }),
      "are called",
    ],
    ["no entry", () => flow({ entry: "Q1" as never }), '"entry" is "Q1": give the first question'],
    ["an unknown option", () => flow({ entry: q(), enter: 1 } as never), 'flow(...) has no option "enter"'],
    [
      "a state that is no function",
      () => flow({ entry: q(), state: {} as never }),
      '"state" is an object: give a function',
    ],
    ["a question without a name", () => question({ name: "", responses: ["a"] }), '"name" is ""'],
    ["a question without a strategy", () => question({ name: "a" }), 'give either "strategy" or "responses"'],
    [
      "a question with both",
      () => question({ name: "a", responses: ["a"], strategy: choices(["a"]) }),
      "give either",
    ],
    ["no responses", () => question({ name: "a", responses: [] }), "the list is empty"],
    [
      "an unknown erase",
      () => question({ name: "a", responses: ["a"], erase: "some" as never }),
      '"erase" is "some"',
    ],
    [
      "a target that is none",
      () => q().then(4 as never),
      'question("Q1").then(...) leads to 4: give a question',
    ],
    ["a forged route", () => q().on("a", { kind: "end" } as never), "leads to an object"],
    ["an answer that is none", () => q().on(4 as never, "x"), "was given the answer 4"],
    [
      "an assignment that is none",
      () => q().assign("x" as never),
      'question("Q1").assign(...) was given "x": give a function',
    ],
    ["no tries", () => q().retry({ times: 0, valid: () => true }), '"times" is 0'],
    ["no check", () => q().retry({ times: 1 } as never), '"valid" is undefined'],
    ["an empty message", () => message(""), "message(...) was given"],
    ["a message with an unknown option", () => message("a", { ends: true } as never), 'has no option "ends"'],
    ["an output that is none", () => output(4 as never), "output(...) was given 4"],
    ["calls that are none", () => tool("f" as never), 'tool(...) was given "f"'],
  ])("%s", (_, make, sentence) => {
    expect(make).toThrow(sentence);
  });

  test("two of one name that a function leads to are told when they meet", async () => {
    const { faults } = await run(q().then(() => q()));
    expect(faults).toEqual([expect.stringContaining('Two questions of the flow are called "Q1"')]);
  });

  test("a target made by an async function", async () => {
    const { faults } = await run(q().then((async () => "x") as never));
    expect(faults).toEqual([expect.stringContaining('After "Q1", the flow leads to a promise')]);
  });

  test("a question that is awaited", async () => {
    await expect((async () => q() as unknown)()).rejects.toThrow('The question "Q1" was awaited');
  });
});

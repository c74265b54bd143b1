/** For every end of a run, the view says below or in place of the text how the run ended and what to do next. */
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { TraceAction } from "../../../core/trace/format/format.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { modelWithHealing } from "../../../core/trace/testing/healed-trace.ts";
import { modelWithQuestions, modelWithRepeatedAnswer } from "../../../core/trace/testing/question-trace.ts";
import {
  banOfOne,
  createTraceBuilder,
  fault,
  requestRecord,
} from "../../../core/trace/testing/trace-builder.ts";
import { authorshipOf } from "../ribbon/ribbon-cells.ts";
import { modSentences } from "./mod-sentences.ts";
import { RunEndNotice } from "./run-end.tsx";
import { type RunEndCase, runEnds, traceThatEnds } from "./testing/run-ends.ts";

const token = (text: string, id = 5) => ({ token: id, text });

function drawn(
  {
    end,
    failure = null,
    interrupted = false,
  }: { end?: RunEndCase["end"]; failure?: string | null; interrupted?: boolean },
  words: readonly string[],
  canRun = true,
): string {
  const trace = traceThatEnds(end, words);
  return renderToStaticMarkup(
    <RunEndNotice
      trace={trace}
      failure={failure}
      interrupted={interrupted}
      canRun={canRun}
      authorship={authorshipOf(trace)}
    />,
  );
}

test.each(Object.entries(runEnds))("%s, with a text and before the first token", (_name, each) => {
  for (const words of [[" there", " was"], []]) {
    const html = drawn(each, words);
    expect(html).toMatch(each.says);
    expect(html).toMatch(each.next);
  }
});

test("a stopped run with a text can be continued, one without a text only begun again", () => {
  expect(drawn({ end: { reason: "cancelled" } }, [" a"])).toContain("Press “Continue” to write the rest");
  expect(drawn({ end: { reason: "cancelled" } }, [])).toContain("Press Run to start again.");
});

test("a run that ended before its first token says that the text is empty", () => {
  expect(drawn({ end: { reason: "stop" } }, [])).toContain("The text is empty.");
  expect(drawn({ end: { reason: "stop" } }, [" a"])).not.toContain("The text is empty.");
});

test("an output that repeats the model's answer to a question is the model's answer, not text of the mod", () => {
  const trace = modelWithRepeatedAnswer();
  const html = renderToStaticMarkup(
    <RunEndNotice trace={trace} failure={null} interrupted={false} canRun authorship={authorshipOf(trace)} />,
  );
  expect(html).toContain("A mod made the final text from the model’s answers and ended the run.");
  expect(html).not.toContain("the model’s own text");
});

test("a run that goes on has no end; a reader without a Run button is not told to press it", () => {
  expect(drawn({}, [" a"])).toBe("");
  expect(drawn({ end: { reason: "cancelled" } }, [" a"], false)).not.toContain("Press Run");
});

test.each([
  ["stop", ["idle changed nothing in this run: none of its handlers was called."]],
  ["error", []],
] as const)("a mod that changed nothing in a run that ended with %s: %j", (reason, sentences) => {
  const run = createTraceBuilder(requestRecord({ mods: [{ name: "idle", source: "" }] }));
  run.prefill([token("Once")]);
  run.finish(reason);
  const trace = createTraceModel();
  trace.append(run.records);
  expect(modSentences(trace, authorshipOf(trace))).toEqual(sentences);
});

test("a mod without a mark in the text says why", () => {
  const why = (write: (run: ReturnType<typeof createTraceBuilder>) => void) => {
    const run = createTraceBuilder(requestRecord({ mods: [{ name: "idle", source: "" }] }));
    run.prefill([token("Once")]);
    write(run);
    run.finish("stop");
    const trace = createTraceModel();
    trace.append(run.records);
    return modSentences(trace, authorshipOf(trace)).map((each) => each.replace(/[\u2068\u2069]/g, ""));
  };
  const force: TraceAction = { type: "forceTokens", tokens: [7], text: " Max", cut: 0 };
  const nothing = "idle changed nothing in this run";
  expect(why((run) => run.call(0, "added"))).toEqual([
    `${nothing}: it was called once and returned no action.`,
  ]);
  expect(
    why((run) => {
      for (let call = 0; call < 1_200; call += 1) run.call(0, "added");
    }),
  ).toEqual([`${nothing}: it was called 1,200 times and returned no action.`]);
  expect(why((run) => run.call(0, "added", force, { superseded: true }))).toEqual([
    `${nothing}: another mod acted first.`,
  ]);
  const broken = { fault: fault("threw", "TypeError: event.txet is undefined", 3) };
  expect(why((run) => run.call(0, "added", undefined, broken))).toEqual([
    `${nothing}, because it failed in line 3: TypeError: event.txet is undefined.`,
  ]);
  expect(
    why((run) => {
      run.forward({ entropy: 1, top: [] });
      run.call(0, "forwardPass", banOfOne);
      run.adjust({ entropy: 1, top: [] });
      run.sample(token(" a"), {});
      run.add([token(" a")], "sampled");
    }),
  ).toEqual(["idle changed the probabilities of 1 token, but the same tokens came out."]);
  const toolCall = { id: "call_1", type: "function", function: { name: "search", arguments: "{}" } } as const;
  expect(why((run) => run.call(0, "added", { type: "toolCalls", calls: [toolCall] }))).toEqual([
    "idle called search.",
  ]);
});

test("one sentence a mod: what it replaced, wrote, or that it changed nothing", () => {
  const run = createTraceBuilder(
    requestRecord({ mods: ["swap-name", "plot-twist", "idle"].map((name) => ({ name, source: "" })) }),
  );
  run.prefill([token("Once")]);
  const write = (word: string) => {
    run.forward({ entropy: 1, top: [] });
    run.sample(token(word), {});
    run.add([token(word)], "sampled");
  };
  for (const _time of [1, 2]) {
    write(" Lily");
    run.call(0, "added", { type: "backtrack", count: 1, tokens: [6], text: " Max", cut: 0 });
    run.backtrack(0, 1, 1);
    run.add([token(" Max", 6)], "reinjected", { mod: 0 });
  }
  write(" had a dog.");
  run.call(
    1,
    "added",
    { type: "forceTokens", tokens: [7], text: " It began to rain.", cut: 0 },
    { console: [{ level: "log", text: "The first sentence is complete." }] },
  );
  run.add([token(" It began to rain.", 7)], "forced", { mod: 1 });
  run.finish("stop");
  const trace = createTraceModel();
  trace.append(run.records);
  const plain = modSentences(trace, authorshipOf(trace)).map((each) => each.replace(/[\u2068\u2069]/g, ""));
  expect(plain).toEqual([
    "swap-name replaced “Lily” with “Max” twice.",
    "plot-twist wrote “It began to rain.” after “had a dog.” The mod logged: “The first sentence is complete.”",
    "idle changed nothing in this run: none of its handlers was called.",
  ]);
});

test("a mod that removed an end token, or a line break, changed something", () => {
  const run = createTraceBuilder(
    requestRecord({ mods: ["happy-ending", "one-line"].map((name) => ({ name, source: "" })) }),
  );
  run.prefill([token("Once")]);
  run.sample(token("\n"), {});
  run.add([token("\n")], "sampled");
  run.call(1, "added", { type: "backtrack", count: 1, tokens: [], text: "", cut: 0 });
  run.backtrack(1, 1, 0);
  run.sample(token("", 2), {});
  run.add([token("", 2)], "sampled", { isEos: true });
  run.call(0, "added", { type: "backtrack", count: 1, tokens: [6], text: " They lived happily.", cut: 0 });
  run.backtrack(0, 1, 1);
  run.add([token(" They lived happily.", 6)], "reinjected", { mod: 0 });
  run.finish("stop");
  const trace = createTraceModel();
  trace.append(run.records);
  const plain = modSentences(trace, authorshipOf(trace)).map((each) => each.replace(/[\u2068\u2069]/g, ""));
  expect(plain).toEqual([
    "happy-ending replaced the model’s end token with “They lived happily.”",
    "one-line removed spaces or line breaks.",
  ]);
});

test("a mod that asked the model says what the model answered", () => {
  const trace = modelWithQuestions();
  const plain = modSentences(trace, authorshipOf(trace)).map((each) => each.replace(/[\u2068\u2069]/g, ""));
  expect(plain).toEqual([
    "asker asked “Mood:” → “happy”, asked “Who:” → “a cat” and wrote “Good.” after “Once happy”.",
    "swap-name replaced “Tom” with “Max”.",
  ]);
  const repeated = modelWithRepeatedAnswer();
  expect(modSentences(repeated, authorshipOf(repeated))[0]?.replace(/[\u2068\u2069]/g, "")).toBe(
    'asker asked the model for “{"age":7}”.',
  );
});

test("a mod whose text the model completed wrote that text, and removed nothing", () => {
  const trace = modelWithHealing();
  expect(modSentences(trace, authorshipOf(trace)).map((each) => each.replace(/[\u2068\u2069]/g, ""))).toEqual(
    ["teacher wrote “of Fran” at the start and let the model complete “Fran”, which gave “France”."],
  );
});

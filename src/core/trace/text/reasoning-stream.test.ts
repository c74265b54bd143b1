/** At the end, a receiver has the same reasoning and answer as a split of the whole text, even if mods removed text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRecord } from "../format/format.ts";
import { sampleTrace } from "../testing/sample-trace.ts";
import { splitReasoning } from "./reasoning.ts";
import { ReasoningStream } from "./reasoning-stream.ts";

const free = {
  open: "<think>",
  close: "</think>",
  isBegun: false,
  answer: { open: "<answer>", close: "</answer>" },
};
const sample = sampleTrace();
const first = sample.records.find((record) => record.type === "request");
const last = sample.records.findLast((record) => record.type === "finished");
if (first?.type !== "request" || last?.type !== "finished") throw new Error("The sample trace is not whole.");

/** A text is a piece that is added; a number is the number of pieces that are taken back. */
type Step = string | number;

function recordsOf(steps: readonly Step[], isBegun: boolean): readonly TraceRecord[] {
  const records: TraceRecord[] = [
    { ...(first as TraceRecord & { type: "request" }), stop: [], tools: [], reasoning: { ...free, isBegun } },
  ];
  let pieces: string[] = [];
  for (const step of steps) {
    if (typeof step === "number") {
      const removed = pieces.slice(pieces.length - Math.min(step, pieces.length));
      pieces = pieces.slice(0, pieces.length - removed.length);
      records.push({
        type: "backtracked",
        timeUs: 0,
        step: pieces.length,
        mod: 0,
        removed: removed.map((text) => ({ token: 1, text })),
      } as unknown as TraceRecord);
    } else {
      records.push({
        type: "added",
        timeUs: 0,
        step: pieces.length,
        index: pieces.length,
        source: "sampled",
        mod: null,
        isEos: false,
        hidden: false,
        tokens: [{ token: 1, text: step }],
      } as unknown as TraceRecord);
      pieces.push(step);
    }
  }
  records.push({ ...(last as TraceRecord & { type: "finished" }), text: pieces.join(""), toolCalls: [] });
  return records;
}

function receive(records: readonly TraceRecord[], retract: boolean) {
  const stream = new ReasoningStream({ holdback: 0, retract });
  const got = { reasoning: "", answer: "", retractions: 0, tokens: "", reasoningTokens: 0 };
  for (const event of records.flatMap((record) => stream.push(record))) {
    if (event.type === "finished") got.reasoningTokens = event.reasoningTokens ?? 0;
    if (event.type === "text") {
      got.answer += event.text;
      got.tokens += event.tokens.map(({ text }) => text).join("");
    } else if (event.type === "reasoning") got.reasoning += event.text;
    else if (event.type === "retract" || event.type === "retractReasoning") {
      got.retractions += 1;
      if (event.type === "retract") got.answer = got.answer.slice(0, -event.length);
      else got.reasoning = got.reasoning.slice(0, -event.length);
    }
  }
  return got;
}

/** Pieces that begin before the answer, if there is reasoning. */
function tokensBeforeAnswer(pieces: readonly string[], isBegun: boolean): number {
  const { reasoning, answerStart } = splitReasoning(pieces.join(""), { ...free, isBegun });
  if (reasoning === null) return 0;
  return pieces.filter((_, place) => pieces.slice(0, place).join("").length < answerStart).length;
}

const marks = ["<think>", "</think>", "<answer>", "</answer>", "<ans", "wer>", "</ans"] as const;
const pieces = fc.constantFrom(...marks, "<th", "ink>", "</", "think>", "\n", " ", "a", "b🙂");
const steps = (step: fc.Arbitrary<Step>) => fc.array(step, { maxLength: 24 });

test("in the end both parts are right, and without removals nothing is ever taken back", () => {
  fc.assert(
    fc.property(steps(pieces), fc.boolean(), (given, isBegun) => {
      const { reasoning, answer } = splitReasoning(given.join(""), { ...free, isBegun });
      const got = receive(recordsOf(given, isBegun), false);
      expect(got).toMatchObject({ reasoning: reasoning ?? "", answer, retractions: 0 });
      expect(got.tokens).toContain(answer);
      expect(got.reasoningTokens).toBe(tokensBeforeAnswer(given as readonly string[], isBegun));
    }),
    { numRuns: 2000 },
  );
});

test("what is taken back is said of the part that it belongs to", () => {
  const changes = fc.oneof(
    { weight: 4, arbitrary: pieces },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
  );
  fc.assert(
    fc.property(steps(changes), fc.boolean(), (given, isBegun) => {
      const records = recordsOf(given, isBegun);
      const end = records.at(-1) as TraceRecord & { type: "finished" };
      const { reasoning, answer } = splitReasoning(end.text, { ...free, isBegun });
      expect(receive(records, true)).toMatchObject({ reasoning: reasoning ?? "", answer });
    }),
    { numRuns: 2000 },
  );
});

test("reasoning is streamed as it comes", () => {
  const stream = new ReasoningStream({ holdback: 0 });
  const events = recordsOf(
    ["<think>", "\n", "So", " it", " is", "</", "think>", "\n\n", "Yes", "."],
    false,
  ).map((record) => stream.push(record).map((event) => [event.type, "text" in event ? event.text : ""]));
  expect(events).toEqual([
    [],
    [],
    [],
    [["reasoning", "So"]],
    [["reasoning", " it"]],
    [["reasoning", " is"]],
    [],
    [],
    [],
    [["text", "Yes"]],
    [["text", "."]],
    [["finished", ""]],
  ]);
});

test("an answer that ends like its closing mark begins is not taken back when the mark follows", () => {
  const records = recordsOf(["<answer>", "</ans", "\n", "</answer>"], false);
  expect(receive(records, true)).toMatchObject({ answer: "</ans", retractions: 0 });
});

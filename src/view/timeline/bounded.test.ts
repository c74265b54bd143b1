/** The amount that is drawn at a time is bounded for every trace, also for hostile traces. */
import { expect, test } from "vitest";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { describeToken } from "../../core/trace/model/trace-text.ts";
import { transcriptPage } from "../../core/trace/model/transcript.ts";
import { attacks, hostileTrace } from "../../core/trace/testing/hostile-traces.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { answerCardCount, answerCards } from "./answer-cards.ts";
import { eventRows, rowAt } from "./events/event-rows.ts";
import { describeOverview } from "./overview/overview-labels.ts";
import { promptRewriters } from "./prompt-rewriters.ts";
import { authorshipOf, cellsOf } from "./ribbon/ribbon-cells.ts";
import { modCallEntry } from "./step/call-entry.ts";
import { inspectStep } from "./step/inspection.ts";

const traces = [
  ...Array.from({ length: 40 }, (_, seed) => hostileTrace(seed + 1, 0.02)),
  attacks.manyCalls(),
  attacks.manyTokens(),
  attacks.manySteers(3_000, 256),
];

test("every text that a view draws of a token, an event or a call is short", () => {
  for (const { records } of traces) {
    const trace = createTraceModel();
    trace.append(records);
    const count = trace.tokens.text.length;
    for (const index of [0, 1, 7, Math.floor(count / 2), count - 1].filter((at) => at >= 0 && at < count)) {
      expect(describeToken(trace, index).length).toBeLessThan(4_000);
      const { sentences, calls } = inspectStep(trace, index);
      expect(sentences.join(" ").length).toBeLessThan(4_000);
      for (const call of calls.slice(0, 12)) {
        expect(showInvisibleCharacters(modCallEntry(trace, call)?.summary ?? "").length).toBeLessThan(100);
      }
    }
    expect(cellsOf(trace, 0, Math.min(96, count)).length).toBeLessThanOrEqual(96);
    expect(describeOverview(trace, { first: 0, end: count }).length).toBeLessThan(5_000);
    expect(promptRewriters(trace).join(" and ").length).toBeLessThan(64 * 50);
    expect(authorshipOf(trace).shares.length).toBeLessThanOrEqual(64);
    const index = eventRows(trace, true);
    for (const row of [0, Math.floor(index.count / 2), index.count - 1].filter((at) => at >= 0)) {
      expect(rowAt(trace, index, row).name.length).toBeLessThan(50);
    }
    expect(answerCards(trace, 0, Math.min(10, answerCardCount(trace))).length).toBeLessThanOrEqual(10);
  }
});

test("pages of a transcript are small, follow each other, and hold every token once, but not text that comes again", () => {
  const most = { parts: 150, characters: 50_000 };
  for (const { records } of traces) {
    const trace = createTraceModel();
    trace.append(records);
    let from = 0;
    let tokens = 0;
    while (from < trace.tokens.text.length) {
      const { parts, next } = transcriptPage(trace, from, most);
      expect(next).toBeGreaterThan(from);
      expect(parts.length).toBeLessThanOrEqual(most.parts);
      expect(parts.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(most.characters + 65_537);
      tokens += parts.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
      from = next;
    }
    const comesAgain = trace.tokens.removedBy.filter((span) => trace.spans[span ?? -1]?.isRepeated);
    expect(tokens).toBe(trace.tokens.text.length - comesAgain.length);
  }
});

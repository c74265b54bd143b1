/** A trace as one short line, for tables of tests; and what has to hold of every trace. */
import { expect } from "vitest";
import type { FinishedRecord, TraceRecord } from "../../trace/format/format.ts";

/**
 * The changes of the output, one word each: `e` sampled, `!XY` forced, `^XY` reinjected, `<2` removed, `x` a mod at fault,
 * `?` an answer superseded; at the end the reason, a colon and the answer. A space is written `_`.
 */
export function traceLog(records: readonly TraceRecord[]): string {
  return records
    .flatMap((record) => {
      if (record.type === "added") {
        const sign = { sampled: "", forced: "!", reinjected: "^" }[record.source];
        return [
          sign +
            record.tokens
              .map(({ token, text }) => (token === 256 ? "$" : text.replaceAll(" ", "_")))
              .join(""),
        ];
      }
      if (record.type === "backtracked") return [`<${record.removed.length}`];
      if (record.type === "modCall" && record.fault) return [`x${record.mod}:${record.fault.kind}`];
      if (record.type === "modCall" && record.superseded) return [`?${record.mod}`];
      if (record.type === "finished") return [`${record.reason}:${record.text}`];
      return [];
    })
    .join(" ");
}

/** Tokens of each forward pass. */
export function passSizes(records: readonly TraceRecord[]): number[] {
  return records.flatMap((record) => (record.type === "forwardPass" ? [record.tokenCount] : []));
}

/** The same records with every time taken out. */
export function withoutTimes(records: readonly TraceRecord[]): unknown[] {
  const isTime = (key: string) => /Us$/.test(key);
  return JSON.parse(JSON.stringify(records, (key, value) => (isTime(key) ? undefined : value)));
}

/** Follows the records and holds them to what the format promises. Gives the output's tokens at the end. */
export function checkTrace(records: readonly TraceRecord[]): { tokens: number[]; finished: FinishedRecord } {
  // One `expect` for all: a thousand requests of a property test have a million records.
  const broken: string[] = [];
  const check = (isTrue: boolean, promise: string, record: TraceRecord | undefined): void => {
    if (!isTrue) broken.push(`${promise}: ${JSON.stringify(record)}`);
  };
  const finished = records.at(-1) as FinishedRecord;
  check(records[0]?.type === "request", "a trace begins with its request", records[0]);
  check(finished.type === "finished", "a trace ends with how it finished", finished);
  check(records.filter(({ type }) => type === "finished").length === 1, "it finishes once", finished);

  const mayBeBanned = records[0]?.type === "request" && records[0].branch !== null;
  const output: { token: number; index: number; hidden: boolean }[] = [];
  let hiddenTokens = 0;
  let nextIndex = 0;
  let timeUs = 0;
  for (const record of records) {
    if (record.type === "request") continue;
    if (record.type !== "prefilled" || "timeUs" in record) {
      check(record.timeUs >= timeUs, `times ascend, ${timeUs} was before`, record);
      timeUs = record.timeUs;
    }
    if (record.type === "added") {
      const { hidden } = record;
      check(record.tokens.length > 0, "a token is added at least", record);
      check(record.index === nextIndex, `indices ascend, ${nextIndex} is next`, record);
      check(hidden || !output.at(-1)?.hidden, "what follows hidden tokens is hidden too", record);
      if (hidden) hiddenTokens += record.tokens.length;
      for (const { token } of record.tokens) output.push({ token, index: nextIndex++, hidden });
    }
    if (record.type === "backtracked") {
      const removed = output.splice(output.length - record.removed.length).map(({ index }) => index);
      check(removed.join() === record.removed.join(), `the last ones are removed, ${removed.join()}`, record);
    }
    if ("step" in record)
      check(record.step === output.length, `a step is a place, ${output.length} here`, record);
    if (record.type === "forwardPass" && record.before) {
      const total = record.before.top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
      check(total < 1 + 1e-6, `the likeliest have at most all of the mass, not ${total}`, record);
      check(record.before.entropy >= 0, "entropy is not negative", record);
    }
    if (record.type === "sampled") {
      check(
        (record.probability > 0 || mayBeBanned) && record.probability <= 1,
        "what is sampled, and not chosen by hand, has a probability above 0",
        record,
      );
    }
    if (record.type === "scored") {
      const { index, logprobs, distributions } = record;
      const scored = output.filter(
        (token) => token.index === index || token.index === index + logprobs.length - 1,
      );
      check(logprobs.length === distributions.length, "a row of each scored token", record);
      check(scored.length === Math.min(logprobs.length, 2), "what is scored stands in the output", record);
    }
  }
  check(!output.some(({ hidden }) => hidden), "nothing hidden is left at the end", finished);
  check(finished.usage.completionTokens === output.length, `${output.length} tokens are used`, finished);
  check(finished.usage.hiddenTokens === hiddenTokens, `${hiddenTokens} tokens were hidden`, finished);
  expect(broken).toEqual([]);
  return { tokens: output.map(({ token }) => token), finished };
}

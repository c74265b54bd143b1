/** A trace as one short line, for tables of tests; and what has to hold of every trace. */
import { expect } from "vitest";
import type { FinishedRecord, TraceRecord } from "../../trace/format.ts";

/**
 * What happened to the output, one word each: `e` sampled, `!XY` forced, `^XY` reinjected, `<2` removed, `x` a mod at fault,
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
export function passPlan(records: readonly TraceRecord[]): number[] {
  return records.flatMap((record) => (record.type === "forwardPass" ? [record.tokenCount] : []));
}

/** The same records with every time taken out. */
export function withoutTimes(records: readonly TraceRecord[]): unknown[] {
  const isTime = (key: string) => /Us$/.test(key);
  return JSON.parse(JSON.stringify(records, (key, value) => (isTime(key) ? undefined : value)));
}

/** Follows the records and holds them to what the format promises. Gives the output's tokens at the end. */
export function checkTrace(records: readonly TraceRecord[]): { tokens: number[]; finished: FinishedRecord } {
  expect(records[0]?.type).toBe("request");
  expect(records.filter(({ type }) => type === "finished")).toHaveLength(1);
  const finished = records.at(-1) as FinishedRecord;
  expect(finished.type).toBe("finished");

  const output: { token: number; index: number; hidden: boolean }[] = [];
  let hiddenTokens = 0;
  let nextIndex = 0;
  let timeUs = 0;
  for (const record of records) {
    if (record.type === "request") continue;
    if (record.type !== "prefilled" || "timeUs" in record) {
      expect(record.timeUs).toBeGreaterThanOrEqual(timeUs);
      timeUs = record.timeUs;
    }
    if (record.type === "added") {
      expect(record.tokens.length).toBeGreaterThan(0);
      expect(record.index).toBe(nextIndex);
      const { hidden } = record;
      // What follows hidden tokens is hidden too.
      if (output.at(-1)?.hidden) expect(hidden).toBe(true);
      if (hidden) hiddenTokens += record.tokens.length;
      for (const { token } of record.tokens) output.push({ token, index: nextIndex++, hidden });
    }
    if (record.type === "backtracked") {
      const removed = output.splice(output.length - record.removed.length);
      expect(removed.map(({ index }) => index)).toEqual(record.removed);
    }
    if ("step" in record) expect(record.step).toBe(output.length);
    if (record.type === "forwardPass" && record.before) {
      const total = record.before.top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
      expect(total).toBeLessThan(1 + 1e-6);
      expect(record.before.entropy).toBeGreaterThanOrEqual(0);
    }
    if (record.type === "sampled") {
      expect(record.probability).toBeGreaterThan(0);
      expect(record.probability).toBeLessThanOrEqual(1);
    }
    if (record.type === "scored") {
      expect(record.logprobs).toHaveLength(record.distributions.length);
      const indices = output.map(({ index }) => index);
      expect(indices).toContain(record.index);
      expect(indices).toContain(record.index + record.logprobs.length - 1);
    }
  }
  expect(output.some(({ hidden }) => hidden)).toBe(false);
  expect(finished.usage).toMatchObject({ completionTokens: output.length, hiddenTokens });
  return { tokens: output.map(({ token }) => token), finished };
}

/** When the records of a request are sent: at once up to the first token, then several together. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { RecordBatch } from "./record-batch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const record = (type: TraceRecord["type"]) => ({ type }) as TraceRecord;

test("the records up to the first token are sent with it, later ones together after a wait", () => {
  const sent: string[][] = [];
  const batch = new RecordBatch((records) => sent.push(records.map(({ type }) => type)));
  for (const type of ["request", "forwardPass", "added"] as const) batch.add(record(type));
  expect(sent).toEqual([["request", "forwardPass", "added"]]);
  for (const type of ["forwardPass", "added"] as const) batch.add(record(type));
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(30);
  expect(sent.slice(1)).toEqual([["forwardPass", "added"]]);
  expect(vi.getTimerCount()).toBe(0);
});

test("records that are flushed are not sent again", () => {
  const sent: number[] = [];
  const batch = new RecordBatch((records) => sent.push(records.length));
  batch.add(record("request"));
  batch.flush();
  batch.flush();
  vi.advanceTimersByTime(100);
  expect(sent).toEqual([1]);
});

/** Measures the memory that an engine uses for ended requests. */
import { expect, test } from "vitest";
import { measureRetainedMemory, megabyte } from "../../core/base/testing/retained-memory.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { RequestInfo } from "./midtoken-engine.ts";
import { estimateMemoryOfData } from "./record-memory.ts";
import { RequestStore } from "./request-store.ts";

/** A record of a token with ten alternatives, which shares no text and no list with another record. */
const recordOf = (step: number): TraceRecord =>
  ({
    type: "sampled",
    step,
    atUs: step * 1_000.5,
    token: { id: step, text: ` word${step}`, logprob: -step / 3 },
    topK: Array.from({ length: 10 }, (_, i) => ({ id: step + i, text: `${step} ${i}`, logprob: -i / 7 })),
  }) as unknown as TraceRecord;

const infoOf = (id: string): RequestInfo =>
  ({ id, status: "running", error: null }) as unknown as RequestInfo;
const end = (store: RequestStore, id: string) => store.setStatus(id, "finished");

test.each<[string, (place: number) => unknown]>([
  ["records of tokens", recordOf],
  ["texts", (place) => ({ text: `${place}€`.repeat(50) })],
  ["lists of fractions", (place) => Array.from({ length: 50 }, (_, i) => place + i / 3)],
  ["small objects", (place) => ({ a: { b: place } })],
  ["vectors", (place) => new Float32Array(100).fill(place)],
])("counts no less memory than is taken: %s", async (_, make) => {
  const makeAll = () => Array.from({ length: 5_000 }, (__, i) => make(i));
  const counted = estimateMemoryOfData(makeAll());
  const { bytes } = await measureRetainedMemory(makeAll, counted / 0.95);
  expect(counted).toBeGreaterThan(bytes * 0.95);
});

test("records of ended requests take no more than their bytes, the newest apart", async () => {
  const most = 16 * megabyte;
  const { value: store, bytes } = await measureRetainedMemory(() => {
    const filled = new RequestStore({ keep: 1_000, viewer: "", bytes: most });
    for (let i = 0; i < 20; i++) {
      filled.add(infoOf(`${i}`), () => undefined);
      filled.record(
        `${i}`,
        Array.from({ length: 2_000 }, (_, step) => recordOf(i * 2_000 + step)),
      );
      end(filled, `${i}`);
    }
    return filled;
  }, most + megabyte);
  expect(bytes).toBeLessThan(most + megabyte);
  expect(store.list().at(-1)?.id).toBe("19");
  expect(store.records("19")).toHaveLength(2_000);
  expect(() => store.records("0")).toThrow("up to 16 MB of records");
});

test("one request larger than all bytes is kept until the next ends", () => {
  const store = new RequestStore({ keep: 5, viewer: "", bytes: 1_000 });
  for (const id of ["a", "b"]) {
    store.add(infoOf(id), () => undefined);
    store.record(id, [recordOf(1), recordOf(2)]);
    end(store, id);
    expect(store.list().map((info) => info.id)).toEqual([id]);
  }
});

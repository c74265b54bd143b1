/** The state of a timeline for every kind of source, without a page. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeTrace } from "../../core/trace/codec/codec.ts";
import { encodePermalink } from "../../core/trace/file/permalink.ts";
import type { Trace, TraceRecord } from "../../core/trace/format/format.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import type { RequestEvent, RequestInfo, Requests } from "../api/midtoken-engine.ts";
import { createTimelineController, type TimelineController } from "./timeline-controller.ts";
import type { TimelineSource } from "./timeline-source.ts";
import type { TimelineState } from "./timeline-state.ts";

const base = "https://example.org/page";
const trace = sampleTrace({ tokens: 40 });
const { bytes } = encodeTrace({ trace, notes: [] });
const atOnce = (deliver: () => void) => deliver();

function controllerOf(): TimelineController {
  return createTimelineController(atOnce);
}

/** Waits until the status is one of these. */
function until(
  { store }: TimelineController,
  ...wanted: readonly TimelineState["status"][]
): Promise<TimelineState> {
  return new Promise((resolve) => {
    const look = () => {
      if (!wanted.includes(store.get().status)) return;
      end();
      resolve(store.get());
    };
    const end = store.subscribe(look);
    look();
  });
}

const textOf = ({ trace }: TimelineState): string => trace?.tokens.text.join("") ?? "";
const whole = trace.records
  .flatMap((record) => (record.type === "added" ? record.tokens.map(({ text }) => text) : []))
  .join("");

test.each<[string, TimelineSource]>([
  [
    "a permalink",
    { type: "address", address: `https://elsewhere.example/${encodePermalink(trace).fragment}` },
  ],
  ["a fragment", { type: "address", address: encodePermalink(trace).fragment }],
  ["bytes", { type: "file", file: bytes }],
  ["a buffer", { type: "file", file: bytes.slice().buffer }],
  ["a file", { type: "file", file: new Blob([bytes.slice()]) }],
  ["a trace", { type: "trace", trace }],
  ["a trace from JSON", { type: "trace", trace: JSON.parse(JSON.stringify(trace)) as Trace }],
])("shows %s", async (_, source) => {
  const controller = controllerOf();
  controller.show(source, base);
  expect(controller.store.get().status).toBe("loading");
  const state = await until(controller, "finished", "failed");
  expect(state).toMatchObject({ status: "finished", error: null, share: null });
  expect(textOf(state)).toBe(whole);
});

test.each<[string, TimelineSource, RegExp]>([
  ["a damaged file", { type: "file", file: bytes.slice(0, -10) }, /damaged|cut off/],
  ["a cut link", { type: "address", address: encodePermalink(trace).fragment.slice(0, -9) }, /cut off/],
  ["a setup link", { type: "address", address: "#s1.AAz" }, /holds a setup.*run the setup there/],
  ["no address", { type: "address", address: "https://[" }, /“https:\/\/\[” is not an address/],
  ["a script", { type: "address", address: "javascript:alert(1)" }, /begins with javascript:/],
  [
    "records out of order",
    { type: "trace", trace: { ...trace, records: trace.records.slice(1) } },
    /request/,
  ],
  ["no trace", { type: "trace", trace: 5 as unknown as Trace }, /not a Midtoken trace/],
  ["no file", { type: "file", file: "run.trace" as unknown as Blob }, /“file” is "run.trace"/],
  [
    "no file, but an address whose password is long",
    { type: "file", file: `https://x:${"ab".repeat(20)}@host/a.trace` as unknown as Blob },
    /“file” is "…@host\/a.trace"/,
  ],
])("says why it does not show %s", async (_, source, message) => {
  const controller = controllerOf();
  controller.show(source, base);
  const state = await until(controller, "finished", "failed");
  expect(state).toMatchObject({ status: "failed", trace: null });
  expect(state.error?.message).toMatch(message);
});

test.each([
  "https://user:geh#eim@h/x",
  "https://user:geh/eim@h/x",
  "https://user:geh?eim@h/x",
  "https://user:geh eim@h:99999/x",
  "//user:geheim@h:99999/x",
  "https:\\\\user:geheim@h:99999",
  "user:geheim@h/x",
])("no message has the password of %s", async (address) => {
  const controller = controllerOf();
  controller.show({ type: "address", address }, base);
  const { error } = await until(controller, "finished", "failed");
  expect(error?.message).toMatch(/…@h/);
  expect(error?.message).not.toMatch(/geh|eim/);
});

test("what is shown last is shown, whatever is still being read", async () => {
  let release = (_: ArrayBuffer) => {};
  const late = new Promise<ArrayBuffer>((resolve) => {
    release = resolve;
  });
  const file = new Blob([bytes.slice()]);
  Object.assign(file, { arrayBuffer: () => late });
  const controller = controllerOf();
  controller.show({ type: "file", file }, base);
  controller.show({ type: "trace", trace: sampleTrace({ tokens: 7 }) }, base);
  const shown = textOf(await until(controller, "finished", "failed"));
  expect(shown).not.toBe(whole);
  release(bytes.slice().buffer);
  // A second controller, with as much work as the first.
  const other = controllerOf();
  other.show({ type: "file", file: bytes }, base);
  expect(textOf(await until(other, "finished", "failed"))).toBe(whole);
  expect(textOf(controller.store.get())).toBe(shown);
  controller.show(null, base);
  expect(controller.store.get()).toMatchObject({ status: "empty", trace: null, selection: null });
});

test("tokens that are there can be selected, others not", async () => {
  const controller = controllerOf();
  controller.show({ type: "trace", trace }, base);
  expect(controller.select({ anchor: 0, cursor: 0 })).toBe(false);
  const count =
    textOf(await until(controller, "finished")) && controller.store.get().trace?.tokens.text.length;
  const last = (count as number) - 1;
  expect(controller.select({ anchor: 2, cursor: last })).toBe(true);
  expect(controller.select({ anchor: 2, cursor: last + 1 })).toBe(false);
  expect(controller.store.get().selection).toEqual({ anchor: 2, cursor: last });
});

/** The requests of an engine, controlled by the test. */
function createRequests() {
  const infos = new Map<string, RequestInfo>();
  const events: RequestEvent[] = [];
  const listeners = new Set<(event: RequestEvent) => void>();
  const emit = (event: RequestEvent) => {
    infos.set(event.request.id, event.request);
    events.push(event);
    for (const listener of listeners) listener(event);
  };
  const requests: Pick<Requests, "list" | "subscribe"> = {
    list: () => [...infos.values()],
    subscribe(listener, id) {
      if (id !== undefined && !infos.has(id)) throw new Error(`There is no request ${id}.`);
      if (id !== undefined) for (const event of events) if (event.request.id === id) listener(event);
      const own = (event: RequestEvent) => {
        if (id === undefined || event.request.id === id) listener(event);
      };
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
  const info = (id: string, status: RequestInfo["status"], createdAt: number): RequestInfo => ({
    id,
    status,
    createdAt,
    model: "scripted",
    error: null,
  });
  return {
    engine: { requests },
    listeners,
    begin: (id: string, createdAt: number) =>
      emit({ type: "status", request: info(id, "waiting", createdAt) }),
    records: (id: string, createdAt: number, records: readonly TraceRecord[]) =>
      emit({ type: "records", request: info(id, "running", createdAt), records }),
    end: (id: string, createdAt: number) =>
      emit({ type: "status", request: info(id, "finished", createdAt) }),
  };
}

test("a request is followed from its beginning to its end", () => {
  const { engine, listeners, begin, records, end } = createRequests();
  begin("one", 1);
  records("one", 1, trace.records.slice(0, 20));
  const controller = controllerOf();
  controller.show({ type: "request", engine, id: "one" }, base);
  expect(controller.store.get()).toMatchObject({ status: "running" });
  expect(controller.store.get().trace?.records).toHaveLength(20);
  begin("two", 2);
  records("two", 2, trace.records.slice(0, 3));
  records("one", 1, trace.records.slice(20));
  end("one", 1);
  expect(controller.store.get()).toMatchObject({ status: "finished" });
  expect(textOf(controller.store.get())).toBe(whole);
  controller.stop();
  expect(listeners.size).toBe(0);
});

test("a request that is not there is said", () => {
  const controller = controllerOf();
  controller.show({ type: "request", engine: createRequests().engine, id: "none" }, base);
  expect(controller.store.get()).toMatchObject({
    status: "failed",
    error: new Error("There is no request none."),
  });
});

test("without an id the newest request is shown, however their records come", () => {
  const ids = ["a", "b", "c", "d"];
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3 }),
      fc.array(fc.nat({ max: 3 }), { minLength: 8, maxLength: 60 }),
      (before, turns) => {
        const { engine, begin, records, end } = createRequests();
        const sent = new Map<string, number>();
        const controller = controllerOf();
        let newest: string | null = null;
        turns.forEach((turn, place) => {
          if (place === before) controller.show({ type: "request", engine, id: null }, base);
          const id = ids[turn] as string;
          const from = sent.get(id);
          if (from === undefined) {
            newest = id;
            begin(id, place);
            sent.set(id, 0);
            return;
          }
          const createdAt = engine.requests.list().find((request) => request.id === id)?.createdAt ?? 0;
          const piece = trace.records.slice(from, from + 7);
          sent.set(id, from + 7);
          if (piece.length > 0) records(id, createdAt, piece);
          else end(id, createdAt);
        });
        const count = Math.min(trace.records.length, sent.get(newest ?? "") ?? 0);
        expect(controller.store.get().trace?.records ?? []).toEqual(trace.records.slice(0, count));
      },
    ),
  );
});

/** The element without a page, its keys and its texts. */
import { expect, test, vi } from "vitest";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import { actOnTimelineKey, type KeyPress } from "./timeline-keys.ts";
import { selectedText, statusSentence } from "./timeline-labels.ts";
import { emptyTimelineState, type TimelineState } from "./timeline-state.ts";

const trace = createTraceModel();
trace.append(sampleTrace({ tokens: 60 }).records);

test("a server may import it: nothing is defined, and nothing fails", async () => {
  expect(globalThis.customElements).toBeUndefined();
  const { TokenTimelineElement, defineTokenTimeline } = await import("./index.ts");
  expect(() => defineTokenTimeline("other-timeline")).not.toThrow();
  expect(TokenTimelineElement.observedAttributes).toContain("src");
});

function press(key: string, changes: Partial<KeyPress> & { selection?: TimelineState["selection"] } = {}) {
  const { selection = null, ...event } = changes;
  const onSelect = vi.fn();
  const onChange = vi.fn();
  const preventDefault = vi.fn();
  actOnTimelineKey(
    {
      key,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      defaultPrevented: false,
      target: null,
      preventDefault,
      stopPropagation() {},
      ...event,
    },
    { trace, selection, fold: false, onSelect, onChange },
  );
  return {
    selected: onSelect.mock.calls[0]?.[0] ?? null,
    changed: onChange.mock.calls[0]?.[0] ?? null,
    isTaken: preventDefault.mock.calls.length > 0,
  };
}

test("n and p go from change to change, f folds, Escape leaves one token", () => {
  const first = press("n").selected;
  expect(first).not.toBeNull();
  expect(trace.tokens.kind[first.cursor]).not.toBe("sampled");
  const second = press("n", { selection: first }).selected;
  expect(second.cursor).toBeGreaterThan(first.cursor);
  expect(press("p", { selection: second }).selected).toEqual(first);
  expect(press("f")).toEqual({ selected: null, changed: { fold: true }, isTaken: true });
  expect(press("Escape", { selection: { anchor: 1, cursor: 4 } }).selected).toEqual({ anchor: 4, cursor: 4 });
});

test("what means nothing here is left to the page", () => {
  const untouched = { selected: null, changed: null, isTaken: false };
  expect(press("Escape", { selection: { anchor: 4, cursor: 4 } })).toEqual(untouched);
  expect(press("x")).toEqual(untouched);
  expect(press("n", { ctrlKey: true })).toEqual(untouched);
  expect(press("n", { defaultPrevented: true })).toEqual(untouched);
  const field = { matches: () => true } as unknown as EventTarget;
  expect(press("n", { target: field })).toEqual(untouched);
});

test("how a run stands, in words", () => {
  const state = { ...emptyTimelineState, trace };
  const words = (changes: Partial<TimelineState>) => statusSentence({ ...state, ...changes });
  expect(words({ status: "empty" })).toBe("No run yet.");
  expect(words({ status: "loading", share: 0.239 })).toBe("Reading the run: 23%");
  expect(words({ status: "running" })).toBe("Writing …");
  expect(words({ status: "running", trace: null })).toBe("Reading the prompt …");
  expect(words({ status: "finished" })).toBe("Ended: the token limit was reached.");
  // The author of a link chose its texts, so invisible characters in them are shown.
  expect(words({ status: "failed", error: new Error("Bad\u202e end") })).not.toContain("\u202e");
  expect(selectedText({ ...state, selection: { anchor: 3, cursor: 1 } })).toBe(
    trace.tokens.text.slice(1, 4).join(""),
  );
});

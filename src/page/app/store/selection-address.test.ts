import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createRunStore } from "./run-store.ts";
import { syncSelectionWithAddress } from "./selection-address.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page at an address, with a run of 60 and some tokens on it; `replaceState` changes the address as a browser does. */
function pageAt(address: string) {
  let url = new URL(address, "https://example.org");
  const location = {
    get pathname() {
      return url.pathname;
    },
    get search() {
      return url.search;
    },
    get hash() {
      return url.hash;
    },
  };
  const replaceState = vi.fn((_state: unknown, _title: string, to?: string | URL | null) => {
    url = new URL(to ?? "", url);
  });
  const run = createRunStore(null);
  const messages: string[] = [];
  const model = createTraceModel();
  model.append(sampleTrace({ tokens: 60 }).records);
  const end = syncSelectionWithAddress(run, (message) => messages.push(message), {
    location,
    history: { replaceState, state: null },
  });
  return { run, model, messages, replaceState, end, address: () => url.href.replace(url.origin, "") };
}

const { selection: firstChange } = (() => {
  const page = pageAt("/");
  page.run.getState().show(page.model);
  page.end();
  return page.run.getState();
})();

test.each([
  ["/?select=13-40#t1.abcz", { anchor: 12, cursor: 39 }, []],
  ["/?select=40-13", { anchor: 39, cursor: 12 }, []],
  ["/?select=7", { anchor: 6, cursor: 6 }, []],
  ["/", firstChange, []],
  ["/?select=1-900", firstChange, ["The link selects tokens 1-900, but this run has only 70 tokens."]],
  [
    "/?select=%3Cscript%3E%E2%80%AE",
    firstChange,
    [
      "The link selects “<script>\ufffd”. A link can select one token, such as 13, or a range of tokens, such as 13-40.",
    ],
  ],
])("%s selects", (address, selection, said) => {
  const { run, model, messages } = pageAt(address);
  run.getState().show(model);
  expect(run.getState().selection).toEqual(selection);
  expect(messages).toEqual(said);
});

test("the first change by a mod is what a run opens with", () => {
  expect(firstChange).not.toBeNull();
});

test("a branch opens with the token at which it leaves the other run, whatever mods did before", () => {
  const page = pageAt("/");
  const [request, ...rest] = sampleTrace({ tokens: 60 }).records;
  if (request?.type !== "request") throw new Error("A trace begins with its request.");
  const branch = {
    requestId: "other",
    index: 25,
    isChosen: true,
    caughtUp: 0,
    parentMods: 0,
    difference: null,
  };
  const model = createTraceModel();
  model.append([{ ...request, branch }, ...rest]);
  page.run.getState().show(model);
  expect(page.run.getState().selection).toEqual({ anchor: 25, cursor: 25 });
});

test("the address follows the selection, and leaves the rest of it as it is", () => {
  const page = pageAt("/midtoken/?every=5#t1.abcz");
  const { select, show } = page.run.getState();
  show(page.model);
  vi.runAllTimers();
  expect(page.address(), "what a run opens with is not written").toBe("/midtoken/?every=5#t1.abcz");
  for (let cursor = 20; cursor < 30; cursor += 1) select({ anchor: 12, cursor });
  vi.runAllTimers();
  expect(page.address()).toBe("/midtoken/?every=5&select=13-30#t1.abcz");
  expect(page.replaceState, "a selection that moves is written once it rests").toHaveBeenCalledOnce();
  select(firstChange);
  vi.runAllTimers();
  expect(page.address()).toBe("/midtoken/?every=5#t1.abcz");
});

test("what the address names is for the first run that is read, and not for one that begins", () => {
  const page = pageAt("/?select=7");
  page.run.setState({ status: "running" });
  page.run.getState().show(page.model);
  expect(page.run.getState().selection).toEqual(firstChange);
  vi.runAllTimers();
  expect(page.address()).toBe("/");
});

test("an address that the browser does not let change stays as it is", () => {
  const page = pageAt("/#t1.abcz");
  page.run.getState().show(page.model);
  page.replaceState.mockImplementation(() => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  });
  page.run.getState().select({ anchor: 1, cursor: 2 });
  vi.runAllTimers();
  expect(page.replaceState).toHaveBeenCalledOnce();
  expect(page.address()).toBe("/#t1.abcz");
});

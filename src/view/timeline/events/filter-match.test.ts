import { expect, test } from "vitest";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { createTextMatcher } from "../../../core/masks/regex/text-matcher.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { steeredTrace } from "../../../core/trace/testing/steered-trace.ts";
import { eventRows, rowAt, tokensOfRow } from "./event-rows.ts";
import { type FilterNumberKey, type KindWord, parseFilter } from "./filter-language.ts";
import { searchRows, termWithMatcher } from "./filter-match.ts";

const trace = createTraceModel();
trace.append(sampleTrace().records);
const rows = eventRows(trace, true);
const { tokens, records } = trace;

function find(filter: string): number[] {
  const found: number[] = [];
  const { terms, problems } = parseFilter(filter);
  expect(problems).toEqual([]);
  const ready = terms.map((term) =>
    termWithMatcher(
      term,
      term.condition.type === "regex" ? createTextMatcher(term.condition.source, term.condition.flags) : null,
    ),
  );
  runToEnd(searchRows(trace, rows, ready, found));
  return found;
}
const named = (filter: string) => find(filter).map((row) => rowAt(trace, rows, row));
/** Expects that a filter finds exactly the rows with a wanted token. */
const aboutToken = (filter: string, isWanted: (token: number) => boolean) => {
  const found = find(filter);
  const expected: number[] = [];
  for (let row = 0; row < rows.count; row += 1) {
    const own = tokensOfRow(trace, rows, row);
    const list = Array.from({ length: own?.count ?? 0 }, (_, place) => (own?.first ?? 0) + place);
    if (list.some(isWanted)) expected.push(row);
  }
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(expected);
};

test("nothing asked finds every row", () => {
  expect(find("")).toHaveLength(rows.count);
});

test("words stand in any order and case, also in names and in the console", () => {
  const found = named("Backtrack LILY");
  expect(found.length).toBeGreaterThan(0);
  expect(found.every(({ name, what }) => /lily/i.test(`${name} ${what}`))).toBe(true);
  expect(named('"prompt has"')).toMatchObject([{ isEvent: false }]);
});

test("kinds and probabilities are those of the tokens that a row is about", () => {
  for (const kind of ["sampled", "adjusted", "forced", "reinjected"] as const)
    aboutToken(`kind:${kind}`, (token) => tokens.kind[token] === kind);
  aboutToken("kind:removed", (token) => tokens.removedBy[token] !== -1);
  aboutToken("p<0.1", (token) => Math.exp(tokens.logprobBefore[token] ?? Number.NaN) < 0.1);
  aboutToken("entropy>=2", (token) => (tokens.entropyBefore[token] ?? 0) >= 2);
  aboutToken("token:3-5", (token) => token >= 2 && token <= 4);
});

/** The compiler asks for each kind here. */
const isOfKind: Readonly<Record<KindWord, (token: number) => boolean>> = {
  sampled: (token) => tokens.kind[token] === "sampled",
  adjusted: (token) => tokens.kind[token] === "adjusted",
  forced: (token) => tokens.kind[token] === "forced",
  reinjected: (token) => tokens.kind[token] === "reinjected",
  moved: (token) => tokens.kind[token] === "moved",
  end: (token) => tokens.kind[token] === "end",
  removed: (token) => tokens.removedBy[token] !== -1,
  asked: (token) => trace.spans.some(({ removed, isQuestion }) => isQuestion && removed.includes(token)),
  hidden: (token) =>
    records.some(
      (record) =>
        record.type === "added" &&
        record.hidden &&
        token >= record.index &&
        token < record.index + record.tokens.length,
    ),
  steered: (token) => tokens.steered[token] !== null,
};
test.each(Object.entries(isOfKind))("kind:%s finds exactly the rows with such a token", (kind, isWanted) => {
  const expected = Array.from({ length: rows.count }, (_, row) => row).filter((row) => {
    const own = tokensOfRow(trace, rows, row);
    return Array.from({ length: own?.count ?? 0 }, (_, place) => (own?.first ?? 0) + place).some(isWanted);
  });
  expect(find(`kind:${kind}`)).toEqual(expected);
});

/** The compiler asks for each number here. */
const numberFilters: Readonly<Record<FilterNumberKey, string>> = {
  p: "p<0.1",
  entropy: "entropy>=2",
  step: "step:10-12",
  token: "token:3-5",
  took: "took<1s",
};
test.each(Object.values(numberFilters))("%s finds some rows, and its negation the others", (filter) => {
  expect(find(filter).length).toBeGreaterThan(0);
  expect(find(filter).length).toBeLessThan(rows.count);
  expect(find(filter).length + find(`-${filter}`).length).toBe(rows.count);
});

test("a call is about what it forced, removed or changed; one that answered nothing about no token", () => {
  const calls = (filter: string) => named(filter).filter(({ isEvent }) => !isEvent);
  expect(calls("kind:forced").length).toBe(
    records.filter(
      (record) => record.type === "modCall" && record.action.type === "forceTokens" && !record.superseded,
    ).length,
  );
  expect(calls("kind:removed").every(({ what }) => what.includes("removed"))).toBe(true);
  expect(calls("kind:removed").length).toBe(trace.spans.length);
  expect(calls("kind:adjusted").length).toBeGreaterThan(0);
  expect(calls("kind:sampled -kind:removed action:noop")).toEqual([]);
});

test.each([
  ["event:added", trace.events.filter(({ type }) => type === "added").length, true],
  [
    "action:backtrack",
    records.filter((record) => record.type === "modCall" && record.action.type === "backtrack").length,
    false,
  ],
  ["fault:any", records.filter((record) => record.type === "modCall" && record.fault).length, false],
  [
    "log:any",
    records.filter((record) => record.type === "modCall" && record.console.length > 0).length,
    false,
  ],
])("%s finds as many as there are records", (filter, count, isEvent) => {
  expect(count).toBeGreaterThan(0);
  expect(named(filter).filter((row) => row.isEvent === isEvent)).toHaveLength(count);
});

test("a part of a mod’s name finds its calls, and the tokens that it forced", () => {
  const found = named("mod:lily");
  expect(found.some(({ isEvent, name }) => isEvent && name === "added")).toBe(true);
  expect(found.filter(({ isEvent }) => !isEvent).every(({ name }) => name === "call-her-lily")).toBe(true);
});

test("steps are a range with both ends; a turned condition is the rest", () => {
  const steps = named("event:added step:10-12").map(({ step }) => step);
  expect(new Set(steps)).toEqual(new Set([10, 11, 12]));
  expect(new Set(named("event:added step>10 step<12").map(({ step }) => step))).toEqual(new Set([11]));
  expect(find("kind:forced").length + find("-kind:forced").length).toBe(rows.count);
});

test("an expression is asked of what stands in the row", () => {
  expect(named("/removed \\d+ tokens?, put/").length).toBe(trace.spans.length);
});

test("times and probabilities that a link left out are in no range", () => {
  const bare = createTraceModel(["probabilities", "timings"]);
  bare.append(sampleTrace().records);
  const found: number[] = [];
  for (const filter of ["p<1", "took<1s"])
    runToEnd(
      searchRows(
        bare,
        eventRows(bare, true),
        parseFilter(filter).terms.map((term) => termWithMatcher(term)),
        found,
      ),
    );
  expect(found).toEqual([]);
  expect(find("took<1s").length).toBeGreaterThan(0);
});

test("what was chosen while mods steered, by kind and by mod; and who steered", () => {
  const steered = createTraceModel();
  steered.append(steeredTrace().records);
  const all = eventRows(steered, true);
  const rowsOf = (filter: string) => {
    const found: number[] = [];
    const { terms, problems } = parseFilter(filter);
    expect(problems).toEqual([]);
    runToEnd(
      searchRows(
        steered,
        all,
        terms.map((term) => termWithMatcher(term)),
        found,
      ),
    );
    return found.map((row) => rowAt(steered, all, row));
  };
  const tokensOfAdded = rowsOf("kind:steered event:added").flatMap(({ isEvent, token }) =>
    isEvent ? [token] : [],
  );
  expect(tokensOfAdded).toEqual(steered.tokens.steered.flatMap((by, index) => (by ? [index] : [])));
  expect(rowsOf("action:steer").map(({ name, what }) => `${name} ${what}`)).toEqual([
    "cheerful steered with a vector at layer 12 (scale 2)",
    "terse steered with 3 vectors at layers 3, 10 (scale -0.5) and 14",
    "terse stopped steering",
    "faulty steered with a vector at layer 12 (scale 0.25)",
    "cheerful stopped steering",
  ]);
  expect(rowsOf("action:patch")).toHaveLength(2);
  const byFaulty = rowsOf("mod:faulty kind:steered event:added");
  expect(byFaulty.length).toBe(
    steered.tokens.steered.filter((by) => by?.mods.some(({ mod }) => mod === 3)).length,
  );
});

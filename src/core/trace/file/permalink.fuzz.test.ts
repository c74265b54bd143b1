/** 3,000 damaged and hostile links: each opens as a valid trace or fails with a TraceError, after bounded work. */
import { deflateSync } from "fflate";
import { describe, expect, test } from "vitest";
import { runToEnd } from "../../base/resumable-work.ts";
import { fromBase64Url, pushVarint, toBase64Url } from "../codec/bytes.ts";
import { codingTrace } from "../codec/code-trace.ts";
import { decodeTraceFile } from "../codec/codec.ts";
import { createColumnWriter } from "../codec/column-writer.ts";
import { packings } from "../codec/packing.ts";
import type { ColumnKey } from "../codec/sections.ts";
import { writingContainer } from "../codec/writing-container.ts";
import { TRACE_VERSION } from "../format/format.ts";
import { traceLimits } from "../format/limits.ts";
import { TraceError, TraceVersionError } from "../format/trace-error.ts";
import { traceOf } from "../format/trace-of.ts";
import { eventList } from "../model/event-list.ts";
import { createTraceModel } from "../model/trace-model.ts";
import { transcript } from "../model/transcript.ts";
import { parseTrace } from "../parse/parse.ts";
import { hostileLink } from "../testing/hostile-traces.ts";
import {
  createDice,
  fileWithDamagedColumns,
  spliced,
  withFlippedBits,
  withValidChecksum,
} from "../testing/mutate-bytes.ts";
import { sampleTrace, seededRandom } from "../testing/sample-trace.ts";
import { steeredTrace } from "../testing/steered-trace.ts";
import { tokenRows } from "../testing/token-rows.ts";
import { createTraceBuilder, requestRecord, type TraceBuilder } from "../testing/trace-builder.ts";
import { decodePermalink, encodePermalink } from "./permalink.ts";
import { defaultParts, reduceToLinkParts } from "./project.ts";

const trace = sampleTrace({ tokens: 45 });
const links = [
  encodePermalink(trace).fragment,
  encodePermalink(trace, { alternatives: "all", draws: true, timings: true }).fragment,
  encodePermalink(trace, { probabilities: false, tokenIds: false, logs: false, prompt: false }).fragment,
  encodePermalink(createTraceBuilder(requestRecord()).finish("cancelled")).fragment,
  encodePermalink(steeredTrace()).fragment,
];
const bytesOf = (link: string) => fromBase64Url(link.slice(4, -1));
const linkOf = (bytes: Uint8Array) => `#t1.${toBase64Url(bytes)}z`;

/** Opens a link. Any result but a valid trace or a TraceError fails the test. */
function open(link: string): "opened" | "refused" {
  const budget = { left: traceLimits.unpackedLink };
  try {
    const { trace: opened, notes } = decodePermalink(link, budget);
    expect(budget.left).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(parseTrace(opened)) === JSON.stringify(opened)).toBe(true);
    draw(opened.records, notes);
    return "opened";
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    expect(error.message.length).toBeLessThan(400);
    return "refused";
  }
}

/** Every trace that opens can be drawn. */
function draw(records: typeof trace.records, notes: Parameters<typeof createTraceModel>[0]): void {
  const model = createTraceModel(notes);
  model.append(records);
  expect(tokenRows(model)).toHaveLength(model.tokens.text.length);
  expect(eventList(model)).toHaveLength(model.events.length);
  expect(typeof transcript(model)).toBe("string");
}

const dice = createDice(seededRandom(2026));
const { upTo, pick } = dice;

function columnsOf(link: string): Map<ColumnKey, Uint8Array> {
  const writer = createColumnWriter();
  const { trace: opened, notes } = decodePermalink(link);
  runToEnd(codingTrace(writer, { records: opened.records, notes }));
  return new Map(writer.columns());
}
const allColumns = links.map(columnsOf);

const mutations: Readonly<Record<string, { count: number; make: () => string; opens: boolean }>> = {
  "characters changed": {
    count: 1300,
    make: () => {
      const link = [...pick(links)];
      link[upTo(link.length)] = pick([..."AZaz09-_.#%<é\0"]);
      return link.join("");
    },
    opens: true,
  },
  "cut off": { count: 160, make: () => pick(links).slice(0, upTo(pick(links).length)), opens: false },
  "cut off, ending and checksum made up": {
    count: 140,
    make: () => {
      const bytes = bytesOf(pick(links));
      return linkOf(withValidChecksum(bytes.subarray(0, upTo(bytes.length))));
    },
    opens: false,
  },
  "bits flipped under a good checksum": {
    count: 200,
    make: () => linkOf(withValidChecksum(withFlippedBits(bytesOf(pick(links)), 1 + upTo(6), dice))),
    opens: true,
  },
  "spliced under a good checksum": {
    count: 200,
    make: () => linkOf(withValidChecksum(spliced(bytesOf(pick(links)), bytesOf(pick(links)), dice))),
    opens: false,
  },
  "random bytes under a good head and checksum": {
    count: 200,
    make: () =>
      linkOf(withValidChecksum(Uint8Array.from([1, TRACE_VERSION, ...dice.bytes(upTo(400)), 0, 0, 0, 0, 0]))),
    opens: false,
  },
  "columns damaged below the packing": {
    count: 800,
    make: () => linkOf(fileWithDamagedColumns(pick(allColumns), dice)),
    opens: true,
  },
};

describe("3,000 links", () => {
  test("is what the table adds up to", () => {
    expect(Object.values(mutations).reduce((sum, { count }) => sum + count, 0)).toBe(3_000);
  });

  test.each(Object.entries(mutations))("%s", (_, { count, make, opens }) => {
    const seen = { opened: 0, refused: 0 };
    for (let round = 0; round < count; round += 1) seen[open(make())] += 1;
    expect(seen.refused).toBeGreaterThan(count / 10);
    // A mutation whose links never open would test only the checksum.
    if (opens) expect(seen.opened).toBeGreaterThan(0);
  });
});

/** A link with one section, whose header claims these columns. */
function oneSection(id: number, packing: number, lengths: readonly number[], packed: Uint8Array): string {
  const head = [1, TRACE_VERSION, id, packing];
  pushVarint(head, lengths.length);
  for (const length of lengths) pushVarint(head, length);
  pushVarint(head, packed.length);
  return linkOf(withValidChecksum(Uint8Array.from([...head, ...packed, 0, 0, 0, 0, 0])));
}

const zeros = (megabytes: number) => deflateSync(new Uint8Array(megabytes * 1_048_576), { level: 9 });
/** Columns that claim a million records. All values equal their guesses, so the records take no bytes. */
function millionRecords(): Map<ColumnKey, Uint8Array> {
  const columns = columnsOf(links[3] ?? "");
  const numbers: number[] = [0];
  pushVarint(numbers, 1_999_999);
  columns.set(
    "settings.numbers",
    Uint8Array.from([...numbers, ...(columns.get("settings.numbers") ?? []).slice(2)]),
  );
  return columns;
}

const tenTokens = Array.from({ length: 10 }, () => ({ token: 1, text: "x", logprob: -1 }));

describe("bombs", () => {
  test.each([
    [
      "deflate, 100 MB said",
      oneSection(4, packings.deflate, [100 * 1_048_576], zeros(100)),
      "unpacks to more",
    ],
    [
      "deflate, 100 MB unsaid",
      oneSection(4, packings.deflate, [100], zeros(100)),
      "unpacks to more than it says",
    ],
    [
      "deflate, too little",
      oneSection(4, packings.deflate, [1000], deflateSync(new Uint8Array(10))),
      "has the wrong length",
    ],
    [
      "range coder, 7 MB",
      oneSection(4, packings.range2, [7_000_000], dice.bytes(10)),
      "too large for its packing method",
    ],
    [
      "mixing coder, 7 MB",
      oneSection(4, packings.mixing, [7_000_000], dice.bytes(10)),
      "too large for its packing method",
    ],
    ["many columns", oneSection(4, packings.none, new Array(5000).fill(0), new Uint8Array()), "columns"],
    [
      "two million records of nothing",
      linkOf(runToEnd(writingContainer(millionRecords())).bytes),
      "The trace",
    ],
    ["a link of 2 MB", `#t1.${"A".repeat(2_000_000)}z`, "the limit is 1048576"],
  ])("%s", (_, link, message) => {
    const budget = { left: traceLimits.unpackedLink };
    expect(() => decodePermalink(link, budget)).toThrow(message);
    expect(() => decodePermalink(link)).toThrow(TraceError);
  });

  test("a file of two million records of nothing is refused for the memory that they would take", () => {
    const isRead = (column: ColumnKey) => /^(settings|prompt|mods)/.test(column);
    const columns = new Map([...millionRecords()].filter(([column]) => isRead(column)));
    expect(() => decodeTraceFile(runToEnd(writingContainer(columns)).bytes)).toThrow(
      "needs more memory than the 276 MB that Midtoken allows",
    );
  });

  test("a record with more entries than can be read at once is refused", () => {
    const builder = createTraceBuilder(requestRecord());
    builder.score(
      0,
      new Array<number>(30_000).fill(-1),
      Array.from({ length: 30_000 }, () => ({ entropy: 1, top: tenTokens })),
    );
    const writer = createColumnWriter();
    const coded = { records: builder.records, notes: [] };
    expect(() => runToEnd(codingTrace(writer, coded))).toThrow("entries; the limit is 262144");
  });

  test("work is counted: a trace of many times as many records spends as many times as much", () => {
    const spent = [30, 300].map((tokens) => {
      const budget = { left: traceLimits.unpackedLink };
      decodePermalink(encodePermalink(sampleTrace({ tokens })).fragment, budget);
      return traceLimits.unpackedLink - budget.left;
    });
    expect((spent[1] ?? 0) / (spent[0] ?? 1)).toBeLessThan(15);
    expect(spent[1]).toBeLessThan(100_000);
  });

  const long = { token: 1, text: "x".repeat(65_536) };
  const top = Array.from({ length: 10 }, () => ({ ...long, logprob: -1 }));
  test.each([
    ["alternatives", 20, (builder: TraceBuilder) => builder.forward({ entropy: 1, top })],
    ["sampled tokens", 200, (builder: TraceBuilder) => builder.sample(long, {})],
    [
      "counterfactuals",
      200,
      (builder: TraceBuilder) => builder.sample({ token: 2, text: "" }, { counterfactual: long }),
    ],
  ])("a long text that %s point to is paid for every time", (_, count, write) => {
    const builder = createTraceBuilder(requestRecord());
    builder.forward({ entropy: 1, top });
    for (let step = 0; step < count; step += 1) write(builder);
    const fragment = hostileLink(traceOf(builder));
    expect(fragment.length).toBeLessThan(2000);
    expect(() => decodePermalink(fragment)).toThrow("unpacks to more");
  });
});

test("an unknown section is skipped", () => {
  const bytes = bytesOf(links[0] ?? "");
  const extra = [99, 77, 1, 3, 3, 1, 2, 3];
  const longer = withValidChecksum(
    Uint8Array.from([...bytes.subarray(0, 2), ...extra, ...bytes.subarray(2)]),
  );
  expect(decodePermalink(linkOf(longer)).trace).toStrictEqual(reduceToLinkParts(trace, defaultParts));
});

test.each([
  ["", "contains no trace"],
  ["#m1.abc", "contains no trace"],
  ["#t1.AAA", "cut off"],
  ["#t1.A z", "an invalid character at position"],
  [linkOf(withFlippedBits(bytesOf(links[0] ?? ""), 1, dice)), "checksum"],
])("%s is refused: %s", (link, message) => {
  expect(() => decodePermalink(link)).toThrow(message);
});

test.each([".", ")", ").", "**", "',", "]!?"])(
  "a link opens with the punctuation %s of its sentence",
  (after) => {
    const link = links[0] ?? "";
    expect(decodePermalink(link + after)).toStrictEqual(decodePermalink(link));
  },
);

describe("what a newer Midtoken made is called newer, not damaged", () => {
  const bytes = bytesOf(links[0] ?? "");
  const newest = withValidChecksum(Uint8Array.from(bytes).fill(TRACE_VERSION + 1, 1, 2));
  const laidOut = withValidChecksum(Uint8Array.from(bytes).fill(2, 0, 1));
  test.each<[string, () => unknown, string]>([
    ["a link of the next version", () => decodePermalink(linkOf(newest)), "its trace has version 2"],
    ["a file of the next version", () => decodeTraceFile(newest), "its trace has version 2"],
    ["a file with another layout", () => decodeTraceFile(laidOut), "its file has layout 2"],
    ["a link of another kind", () => decodePermalink("#t2.AAAz"), "its link begins with t2"],
    [
      "JSON of the next version",
      () => parseTrace({ ...trace, version: TRACE_VERSION + 1 }),
      "its trace has version 2",
    ],
  ])("%s", (_, open, reason) => {
    expect(open).toThrow(TraceVersionError);
    expect(open).toThrow(`recorded by a newer version of Midtoken: ${reason}`);
    expect(open).not.toThrow("damaged");
  });
});

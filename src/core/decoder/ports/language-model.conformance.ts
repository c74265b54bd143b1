/**
 * The rules for every LanguageModel, as a list of checks for any test runner: in Node on WebAssembly,
 * in a browser on WebGPU. A check throws on failure.
 */
import {
  type ExpectSameLogits,
  empty,
  expectClose,
  expectEqual,
  expectFinite,
  expectThrows,
  logitsAlongText,
  logitsFromScratch,
  someTokens,
} from "./language-model.compare.ts";
import { checkMixedCuts, checkTruncation } from "./language-model.cuts.ts";
import { checkExpectedNext } from "./language-model.expected.ts";
import { checkRestoredSegments } from "./language-model.segments.ts";
import { type LanguageModel, ModelDeadError } from "./language-model.ts";

/** `cacheRows`: the initial size of the cache, for implementations whose cache grows. */
export type CreateLanguageModel = (options: { readonly cacheRows: number }) => Promise<LanguageModel>;

/**
 * The subject of a check. `cuts`: logits after a text is cut. `context`: the context after passes and cuts in any order, and
 * after the cache has grown. `passes`: passes of several tokens. `calls`: calls whose code is the same for every graph.
 */
export type ConformancePart = "cuts" | "context" | "passes" | "calls";

export interface ConformanceCheck {
  readonly name: string;
  readonly part: ConformancePart;
  run(): Promise<void>;
}

export interface ConformanceOptions {
  /** The largest allowed difference between logits that should be the same. */
  readonly tolerance: number;
}

/**
 * The suite for one implementation. Most checks share one model: the first of them creates it, and the last one disposes of
 * it.
 */
export function languageModelConformance(
  name: string,
  create: CreateLanguageModel,
  { tolerance }: ConformanceOptions,
): ConformanceCheck[] {
  let shared: Promise<LanguageModel> | null = null;
  const fresh = async () => {
    shared ??= create({ cacheRows: 256 });
    const model = await shared;
    model.truncate(0);
    return model;
  };
  const same = (what: string, a: Float32Array, b: Float32Array) => expectClose(what, a, b, tolerance);
  const checkOf =
    (part: ConformancePart) => (title: string, check: (model: LanguageModel) => Promise<void>) => ({
      name: `${name}: ${title}`,
      part,
      run: async () => check(await fresh()),
    });
  const [cuts, context] = [checkOf("cuts"), checkOf("context")];
  const [passes, calls] = [checkOf("passes"), checkOf("calls")];
  return [
    cuts("truncate then forward equals forward from scratch", (model) => checkTruncation(model, same)),
    passes("a span in one pass equals the same span token by token", (model) => spans(model, same)),
    passes("a pass of 40 tokens equals passes of 8", (model) => longPass(model, same)),
    passes("rows: the last rows, oldest first, and the array is the caller's", (model) =>
      rowsAsked(model, same),
    ),
    passes("rows that stay where they are computed are those that are brought", (model) =>
      rowsLeft(model, same),
    ),
    passes("what is expected next changes no answer, whatever is asked then", (model) =>
      checkExpectedNext(model, same),
    ),
    calls("tokens that are appended are read like any others", (model) => appended(model, same)),
    calls("the length counts what is in the cache", lengths),
    calls("calls that cannot be done are refused and change nothing", (model) => refusals(model, same)),
    context("passes and cuts of any length, in any order, equal the text that is left", (model) =>
      checkMixedCuts(model, same),
    ),
    context("segments that are taken back equal the text read from scratch", (model) =>
      checkRestoredSegments(model, same),
    ),
    context("a cache that grows keeps what it holds, and says what it takes", (model) =>
      growth(model, create, same),
    ),
    calls("the whole capacity can be used, and not a token more", (model) => fullCapacity(model, same)),
    calls("after dispose every call throws ModelDeadError", disposal),
  ];
}

async function spans(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const text = someTokens(model.vocabularySize, 24, 5);
  await model.forward(text.slice(0, 4));
  const together = new Map<number, Float32Array>();
  for (const length of [2, 9]) {
    model.truncate(4);
    together.set(length, await model.forward(text.slice(4, 4 + length)));
  }
  model.truncate(4);
  for (const [i, token] of text.slice(4, 4 + 9).entries()) {
    const single = await model.forward([token]);
    const span = together.get(i + 1);
    if (span) same(`a span of ${i + 1}`, span, single);
  }
}

async function longPass(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const text = someTokens(model.vocabularySize, 80, 11);
  // The second long pass follows the short passes of the first comparison.
  for (const start of [0, 40]) {
    const long = await model.forward(text.slice(start, start + 40));
    model.truncate(start);
    let last: Float32Array = empty;
    for (let i = start; i < start + 40; i += 8) last = await model.forward(text.slice(i, i + 8));
    same(`40 tokens after ${start}`, long, last);
  }
}

async function rowsAsked(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const text = someTokens(model.vocabularySize, 6, 21);
  const width = model.vocabularySize;
  const singles: Float32Array[] = [];
  for (const token of text) singles.push(await model.forward([token]));
  for (const rows of [1, 2, 6]) {
    const logits = await scratchRows(model, text, rows);
    const given = logits.length / width;
    // A model that computes only the last position returns one row.
    if (given !== rows && given !== 1) throw new Error(`Asked for ${rows} rows, got ${given}.`);
    for (let i = 0; i < given; i++) {
      const expected = singles[text.length - given + i] ?? empty;
      same(`row ${i} of ${rows}`, logits.slice(i * width, (i + 1) * width), expected);
    }
    logits.fill(Number.NaN);
  }
  for (const single of singles) expectFinite(single);
  same("after writing into an answer", await scratchRows(model, text, 1), singles.at(-1) ?? empty);
}

/** There is nothing to check if the model copies all rows to the CPU. */
async function rowsLeft(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  if (!model.forwardRows) return;
  const text = someTokens(model.vocabularySize, 7, 23);
  const width = model.vocabularySize;
  const brought = await scratchRows(model, text, text.length);
  for (const rows of [1, 4]) {
    model.truncate(0);
    const left = await model.forwardRows(text, rows, 0.7);
    expectEqual("length", model.length, text.length);
    if (left.length !== rows && left.length !== 1)
      throw new Error(`Asked for ${rows} rows, got ${left.length}.`);
    for (const [place, row] of left.entries()) {
      const from = brought.length - (left.length - place) * width;
      const expected = brought.slice(from, from + width);
      const found = row instanceof Float32Array ? row : await row.read();
      same(`row ${place} of ${rows}`, found, expected);
      if (row instanceof Float32Array) continue;
      const [most = -1] = row.summary.tokens;
      same("the largest", row.summary.logits.slice(0, 1), found.slice(most, most + 1));
      const next = text[text.length - left.length + place + 1];
      if (next !== undefined)
        same("the next token's", Float32Array.of(row.nextLogit ?? Number.NaN), found.slice(next, next + 1));
      row.release();
    }
  }
  model.truncate(0);
  await expectThrows("no tokens", async () => model.forwardRows?.([], 1, 1), RangeError);
  const uploaded = await model.uploadRow?.(brought.slice(0, width), 1);
  if (!uploaded) throw new Error("uploadRow belongs to forwardRows.");
  const back = uploaded instanceof Float32Array ? uploaded : await uploaded.read();
  same("a row that was brought and taken back", back, brought.slice(0, width));
  if (!(uploaded instanceof Float32Array)) uploaded.release();
}

/** There is nothing to check if the model always computes logits when it reads tokens. */
async function appended(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  if (!model.append) return;
  const text = someTokens(model.vocabularySize, 12, 29);
  const expected = await logitsFromScratch(model, text);
  model.truncate(0);
  await model.append(text.slice(0, 7));
  await model.append(text.slice(7, 11));
  expectEqual("length", model.length, 11);
  same("after what was appended", await model.forward(text.slice(11)), expected);
  await expectThrows("no tokens", async () => model.append?.([]), RangeError);
}

async function scratchRows(model: LanguageModel, tokens: readonly number[], rows: number) {
  model.truncate(0);
  return model.forward(tokens, rows);
}

async function lengths(model: LanguageModel): Promise<void> {
  const text = someTokens(model.vocabularySize, 9);
  expectEqual("length at first", model.length, 0);
  const logits = await model.forward(text);
  expectEqual("one row unless asked for more", logits.length, model.vocabularySize);
  expectFinite(logits);
  expectEqual("length after 9", model.length, 9);
  await model.forward([0]);
  expectEqual("length after one more", model.length, 10);
  model.truncate(4);
  expectEqual("length after the cut", model.length, 4);
  model.truncate(4);
  model.truncate(0);
  expectEqual("length after cutting all", model.length, 0);
}

async function refusals(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  const text = someTokens(model.vocabularySize, 7, 3);
  const next = someTokens(model.vocabularySize, 2, 4);
  const expected = await logitsFromScratch(model, [...text, ...next]);
  model.truncate(0);
  await model.forward(text);
  const wrong: [string, () => Promise<unknown>][] = [
    ["no tokens", () => model.forward([])],
    ["an id below 0", () => model.forward([1, -1])],
    ["an id past the vocabulary", () => model.forward([model.vocabularySize])],
    ["a broken id", () => model.forward([0.5])],
    ["an id that is no number", () => model.forward([Number.NaN])],
    ["no rows", () => model.forward([1], 0)],
    ["more rows than tokens", () => model.forward([1], 2)],
    ["more tokens than the capacity", () => model.forward(new Array<number>(model.capacity).fill(0))],
    ["a cut beyond the length", async () => model.truncate(8)],
    ["a cut below 0", async () => model.truncate(-1)],
    ["a broken cut", async () => model.truncate(1.5)],
  ];
  for (const [what, call] of wrong) {
    await expectThrows(what, call, RangeError);
    expectEqual(`length after ${what}`, model.length, text.length);
  }
  same("after the refusals", await model.forward(next), expected);
}

async function growth(
  model: LanguageModel,
  create: CreateLanguageModel,
  same: ExpectSameLogits,
): Promise<void> {
  const small = await create({ cacheRows: 8 });
  try {
    const text = someTokens(model.vocabularySize, 80, 31);
    await small.forward(text.slice(70, 77));
    const bytes = cacheBytes(small);
    small.truncate(0);
    await small.forward(text.slice(0, 6));
    small.truncate(3);
    let at = 3;
    // Right after the cache has grown, and at the end.
    const grown: { at: number; logits: Float32Array }[] = [];
    // The first pass begins with less text than the cache held, and with too little room; a later pass has a single token.
    for (const count of [12, 1, 1, 20, 1, 40, 2]) {
      const logits = await small.forward(text.slice(at, at + count));
      at += count;
      if (count > 1) grown.push({ at, logits });
    }
    const lengths = grown.map((each) => each.at);
    for (const [i, expected] of (await logitsAlongText(model, text, lengths)).entries())
      same(`after ${lengths[i]} tokens`, grown[i]?.logits ?? empty, expected);
    if (small.cacheMemory && cacheBytes(small) <= bytes)
      throw new Error("The cache grew, and takes no more.");
    small.truncate(6);
    const cut = await small.forward(text.slice(40, 50));
    same(
      "cut after growing",
      cut,
      await logitsFromScratch(model, [...text.slice(0, 6), ...text.slice(40, 50)]),
    );
  } finally {
    await small.dispose();
  }
}

/** The size of the cache in bytes, which must agree with the model's other numbers; 0 if the model does not report it. */
function cacheBytes({ cacheMemory, length, capacity }: LanguageModel): number {
  if (!cacheMemory) return 0;
  const { bytes, tokens, mostBytes, mostTokens } = cacheMemory;
  expectEqual("most tokens of the cache", mostTokens, capacity);
  const isSound = bytes > 0 && bytes <= mostBytes && tokens >= length && tokens <= mostTokens;
  if (!isSound) throw new Error(`${length} tokens are in a cache of ${JSON.stringify(cacheMemory)}.`);
  return bytes;
}

async function fullCapacity(model: LanguageModel, same: ExpectSameLogits): Promise<void> {
  // Filling a large context takes long, so each implementation runs this check with a small context.
  if (model.capacity > 512) return;
  const text = someTokens(model.vocabularySize, model.capacity, 41);
  const half = Math.floor(text.length / 2);
  await model.forward(text.slice(0, half));
  await model.forward(text.slice(half, -1));
  const last = await model.forward(text.slice(-1));
  expectEqual("length when full", model.length, model.capacity);
  await expectThrows("one token too many", () => model.forward([0]), RangeError);
  model.truncate(model.capacity - 3);
  same("the last token again", await model.forward(text.slice(-3)), last);
}

async function disposal(model: LanguageModel): Promise<void> {
  await model.forward(someTokens(model.vocabularySize, 3));
  await model.dispose();
  await expectThrows("forward", () => model.forward([0]), ModelDeadError);
  await expectThrows("truncate", async () => model.truncate(0), ModelDeadError);
  await model.dispose();
}

/** The rules for every `ModelLayers`, as checks for any test runner; see `languageModelConformance`. A check throws on failure. */
import {
  expectClose,
  expectEqual,
  expectThrows,
  largestDifference,
  someTokens,
} from "./language-model.compare.ts";
import type { ConformanceOptions } from "./language-model.conformance.ts";
import type { LanguageModel } from "./language-model.ts";
import type { ModelLayers, SteeringVectors } from "./model-layers.ts";

export interface LayersCheck {
  readonly name: string;
  run(): Promise<void>;
}

/** Makes the two models that are compared, from the same files: without `layers`, and with `layers`. */
export interface ComparedModelFactories {
  plain(): Promise<LanguageModel>;
  layered(): Promise<LanguageModel>;
}

export type Layered = LanguageModel & { readonly layers: ModelLayers };
type Same = (what: string, a: Float32Array, b: Float32Array) => void;

/** The largest absolute value in a vector: about as large as the values that a layer of the test models adds. */
const strength = 0.5;
const none: SteeringVectors = new Map();

/** The last check disposes of the models. */
export function modelLayersConformance(
  name: string,
  create: ComparedModelFactories,
  { tolerance }: ConformanceOptions,
): LayersCheck[] {
  let made: Promise<{ plain: LanguageModel; model: Layered }> | null = null;
  const open = async () => {
    const [plain, model] = [await create.plain(), await create.layered()];
    if (plain.layers) throw new Error("A model that was not asked for its layers has them.");
    if (!model.layers) throw new Error("The model has no layers.");
    return { plain, model: model as Layered };
  };
  const same: Same = (what, a, b) => expectClose(what, a, b, tolerance);
  const check = (
    title: string,
    run: (model: Layered, same: Same, plain: LanguageModel) => Promise<void>,
  ) => ({
    name: `${name}: ${title}`,
    run: async () => {
      made ??= open();
      const { plain, model } = await made;
      model.truncate(0);
      model.layers.steer(none);
      model.layers.keep([]);
      await run(model, same, plain);
    },
  });
  return [
    check("without steering, and under zeros, the logits are the model's", unsteered),
    check("the last layer through the lens gives the logits, at every row", lastThroughLens),
    check("the stream behind a layer has what was added there, and no earlier one", added),
    check("several layers are steered at once, and alike in one pass and token by token", spans),
    check("truncate, then forward, under changing steering equals the same from scratch", changes),
    check("segments that are taken back go on as they were steered", segments),
    check("what cannot be done is refused, and changes nothing", refusals),
    check("both models end", async (model, _, plain) => {
      await Promise.all([model.dispose(), plain.dispose()]);
      await expectThrows(
        "the lens",
        () => model.layers.lens(new Float32Array(model.layers.hiddenSize)),
        Error,
      );
    }),
  ];
}

/**
 * Compares rows of the residual stream, relative to their largest number: in some model families the stream is a thousand
 * times as large as the logits that it becomes.
 */
function sameRows(same: Same, what: string, a: Float32Array, b: Float32Array): void {
  const largest = b.reduce((most, number) => Math.max(most, Math.abs(number)), 1);
  const shares = [a, b].map((rows) => rows.map((number) => number / largest)) as [Float32Array, Float32Array];
  same(what, ...shares);
}

/** Repeatable numbers between -`strength` and `strength`. */
function vector(length: number, seed: number): Float32Array {
  return Float32Array.from(someTokens(2001, length, seed), (number) => (number / 1000 - 1) * strength);
}

function vectors({ hiddenSize }: ModelLayers, layers: readonly number[], seed: number): SteeringVectors {
  return new Map(layers.map((layer) => [layer, vector(hiddenSize, seed + layer)]));
}

const every = ({ count }: ModelLayers): number[] => Array.from({ length: count }, (_, layer) => layer);

async function unsteered(model: Layered, same: Same, plain: LanguageModel): Promise<void> {
  const { layers } = model;
  const text = someTokens(model.vocabularySize, 12, 5);
  plain.truncate(0);
  const expected = [await plain.forward(text.slice(0, 9)), await plain.forward(text.slice(9, 10))];
  const zeros = new Map(every(layers).map((layer) => [layer, new Float32Array(layers.hiddenSize)]));
  for (const steering of [none, zeros]) {
    model.truncate(0);
    layers.steer(steering);
    same("a prompt", await model.forward(text.slice(0, 9)), expected[0] as Float32Array);
    same("one token", await model.forward(text.slice(9, 10)), expected[1] as Float32Array);
  }
}

async function lastThroughLens(model: Layered, same: Same): Promise<void> {
  const { layers } = model;
  const last = layers.count - 1;
  layers.keep([last]);
  const text = someTokens(model.vocabularySize, 7, 7);
  const logits = await model.forward(text.slice(0, 6), 5);
  const hidden = await layers.hidden(last);
  expectEqual("numbers of 5 rows", hidden.length, 5 * layers.hiddenSize);
  const seen = await layers.lens(hidden);
  expectEqual("logits of 5 rows", seen.length, 5 * model.vocabularySize);
  // A model that computes only the last position returns one row of logits.
  same("rows of a prompt", seen.slice(seen.length - logits.length), logits);
  const one = await model.forward(text.slice(6));
  same("one row", await layers.lens(await layers.hidden(last)), one);
  const all = await layers.lens(Float32Array.from([...hidden, ...(await layers.hidden(last))]));
  same("the lens takes rows from anywhere", all.slice(-model.vocabularySize), one);
}

async function added(model: Layered, same: Same): Promise<void> {
  const { layers } = model;
  const text = someTokens(model.vocabularySize, 4, 9);
  const rows = async () => {
    model.truncate(0);
    await model.forward(text, 2);
    const all: Float32Array[] = [];
    for (const layer of every(layers)) all.push(await layers.hidden(layer));
    return all;
  };
  layers.keep(every(layers));
  const before = await rows();
  for (const steered of [0, layers.count - 1]) {
    const steering = vectors(layers, [steered], 3);
    layers.steer(steering);
    const after = await rows();
    for (const layer of every(layers)) {
      const [a, b] = [before[layer] as Float32Array, after[layer] as Float32Array];
      const width = layers.hiddenSize;
      const expected = a.map((number, i) => number + (steering.get(layer)?.[i % width] ?? 0));
      if (layer <= steered) sameRows(same, `layer ${layer}, steered at ${steered}`, b, expected);
      else if (!(largestDifference(a, b) > 1e-3))
        throw new Error(`Layer ${layer} does not see layer ${steered}.`);
    }
  }
}

async function spans(model: Layered, same: Same): Promise<void> {
  const { layers } = model;
  const text = someTokens(model.vocabularySize, 10, 11);
  layers.steer(vectors(layers, every(layers), 17));
  layers.keep(every(layers));
  const logits = await model.forward(text);
  const hidden: Float32Array[] = [];
  for (const layer of every(layers)) hidden.push(await layers.hidden(layer));
  model.truncate(0);
  let single = new Float32Array(0);
  for (const token of text) single = (await model.forward([token])) as typeof single;
  same("logits", single, logits);
  for (const layer of every(layers))
    sameRows(same, `layer ${layer}`, await layers.hidden(layer), hidden[layer] as Float32Array);
  layers.steer(none);
  model.truncate(0);
  if (!(largestDifference(await model.forward(text), logits) > 1e-3))
    throw new Error("Steering changed nothing.");
}

/** A token, and the vectors that steer it. */
export interface SteeredToken {
  readonly token: number;
  readonly steering: SteeringVectors;
}

/** Reads tokens into an empty context. Neighbouring tokens with the same steering share a pass. */
export async function steeredLogitsFromScratch(
  model: Layered,
  text: readonly SteeredToken[],
): Promise<Float32Array> {
  model.truncate(0);
  let logits = new Float32Array(0);
  for (let start = 0; start < text.length; ) {
    const { steering } = text[start] as SteeredToken;
    const rest = text.slice(start).findIndex((token) => token.steering !== steering);
    const end = rest < 0 ? text.length : start + rest;
    model.layers.steer(steering);
    const span = text.slice(start, end).map(({ token }) => token);
    logits = (await model.forward(span)) as typeof logits;
    start = end;
  }
  return logits;
}

/** Passes, and cuts before some of them, so that hybrid models compute rows again that were computed under other vectors. */
const steps = [
  { cut: 0, pass: 14, steered: [0] },
  { cut: 14, pass: 3, steered: [] },
  { cut: 17, pass: 1, steered: [1] },
  { cut: 16, pass: 2, steered: [0, 1] },
  { cut: 9, pass: 5, steered: [1] },
  { cut: 11, pass: 30, steered: [] },
  { cut: 38, pass: 1, steered: [2] },
  { cut: 5, pass: 2, steered: [1, 2] },
] as const;

async function changes(model: Layered, same: Same): Promise<void> {
  const { layers } = model;
  const tokens = someTokens(model.vocabularySize, 100, 19);
  const compared: { text: SteeredToken[]; logits: Float32Array }[] = [];
  let [text, used]: [SteeredToken[], number] = [[], 0];
  for (const [i, { cut, pass, steered }] of steps.entries()) {
    model.truncate(cut);
    const steering = vectors(
      layers,
      steered.filter((layer) => layer < layers.count),
      31 * (i + 1),
    );
    layers.steer(steering);
    const span = tokens.slice(used, used + pass);
    used += pass;
    text = [...text.slice(0, cut), ...span.map((token) => ({ token, steering }))];
    compared.push({ text, logits: await model.forward(span) });
  }
  for (const { text, logits } of compared)
    same(`${text.length} tokens`, logits, await steeredLogitsFromScratch(model, text));
}

/** Checks nothing if the model cannot save segments. */
async function segments(model: Layered, same: Same): Promise<void> {
  const store = model.segments;
  if (!store) return;
  const { layers } = model;
  const steering = vectors(layers, [0], 41);
  const tokens = someTokens(model.vocabularySize, 40, 43);
  layers.steer(steering);
  await model.forward(tokens.slice(0, 20));
  const saved = await store.save(0, 20);
  if (!saved) throw new Error("The model saved nothing for 20 tokens.");
  layers.steer(none);
  model.truncate(0);
  await model.forward(tokens.slice(30, 35));
  await store.restore(tokens.slice(0, 20), [saved]);
  // Cuts between two saved states, so that a model with recurrent states computes some tokens again.
  model.truncate(17);
  const logits = await model.forward(tokens.slice(20, 22));
  const text = [
    ...tokens.slice(0, 17).map((token) => ({ token, steering })),
    ...tokens.slice(20, 22).map((token) => ({ token, steering: none })),
  ];
  store.free(saved);
  same("taken back and cut", logits, await steeredLogitsFromScratch(model, text));
}

async function refusals(model: Layered, same: Same): Promise<void> {
  const { layers } = model;
  const text = someTokens(model.vocabularySize, 5, 47);
  const steering = vectors(layers, [0], 53);
  layers.steer(steering);
  const mine = steering.get(0) as Float32Array;
  const kept = new Map([[0, mine.slice()]]);
  mine.fill(9);
  layers.keep([0]);
  await model.forward(text);
  const hidden = await layers.hidden(0);
  const width = layers.hiddenSize;
  const broken = vector(width, 1).fill(Number.NaN, 3, 4);
  const wrong: [string, () => unknown][] = [
    ["a layer that does not exist", () => layers.steer(new Map([[layers.count, vector(width, 1)]]))],
    ["a vector that is too short", () => layers.steer(new Map([[0, vector(width - 1, 1)]]))],
    ["a vector with NaN", () => layers.steer(new Map([[0, broken]]))],
    ["keeping a layer that does not exist", () => layers.keep([-1])],
    ["rows of a layer that is not kept", () => layers.hidden(layers.count - 1)],
    ["no rows for the lens", () => layers.lens(new Float32Array(0))],
    ["rows of another width", () => layers.lens(vector(width + 1, 1))],
    ["rows with NaN", () => layers.lens(broken)],
  ];
  for (const [what, call] of wrong) await expectThrows(what, async () => call(), RangeError);
  sameRows(same, "rows after the refusals", await layers.hidden(0), hidden);
  const logits = await model.forward(text);
  const all = [...text, ...text].map((token) => ({ token, steering: kept }));
  same("steering is as before, and a copy", logits, await steeredLogitsFromScratch(model, all));
}

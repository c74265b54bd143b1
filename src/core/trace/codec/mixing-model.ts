/**
 * Predicts whether the next bit of a text is a 1, from what followed the same bytes before: in eight contexts at once (the
 * last 1, 2, 3, 4 and 6 bytes, the word so far, that word with the word before, and no context) and from the longest repeat. A
 * small neural network weighs these predictions and learns which ones to trust. This is the "context mixing" of the PAQ family
 * of compressors (M. Mahoney, "Adaptive Weighing of Context Models for Lossless Data Compression", 2005). All arithmetic uses
 * whole numbers below 2^53, so that every JavaScript engine computes the same predictions. Do not change it: existing links
 * were written with it.
 *
 * Example: a new model reads "abcdabcdabcd" as one column. The cost of a byte is the sum of -log2(p) over its 8 bits; p is the
 * predicted probability of the bit that came. A coder writes about so many bits: 38 in all, instead of 96. The first bit of
 * every letter is a 0; the third column is the predicted probability that it is a 1, in 65536ths.
 *   place  byte  chance of a 1   cost in bits   longest repeat
 *   0      a     37,532          8.55           none
 *   4      a     18,125          4.67           none: the last four bytes came for the first time
 *   8      a      2,273          0.28           4 bytes, "abcd"; the byte after the first "abcd" was an "a"
 *   11     d        629          0.08           7 bytes, "abcdabc"
 *
 * Rules: call `startColumn` first, then `predictBit` and `learnBit` in turn; `learnBit` uses what `predictBit` left behind.
 * Packing and unpacking make the same calls with the same bits, so both get the same predictions.
 */

import { type ContextSlots, createContextSlots, findOrAddSlotStart, nodesPerSlot } from "./context-slots.ts";

/** The context lengths in bytes. */
const orders = [1, 2, 3, 4, 6] as const;
const contextCount = orders.length + 3;
/** The number of inputs to the mixer: the contexts, the repeat, and a constant. */
const inputCount = contextCount + 2;
const repeatInput = contextCount;
const constantInput = contextCount + 1;

/** The lengths of the shortest and the longest repeat that the model uses. */
const shortestRepeat = 4;
const longestRepeat = 31;

/**
 * Probabilities are 65536ths, and logits 256ths: a logit is the logarithm of p / (1 - p) times 256, between -2047 and 2047. The
 * table has p for each 128th logit; between two entries the model interpolates.
 */
const chanceOfLogit = [
  22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768, 40793, 47911,
  53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
];
const mostLogit = 2047;

function chanceOf(logit: number): number {
  const place = logit + 2048;
  const from = chanceOfLogit[place >> 7] ?? 0;
  const to = chanceOfLogit[(place >> 7) + 1] ?? 0;
  return from + (((to - from) * (place & 127)) >> 7);
}

/** The logit of every 16th probability: the first logit whose probability is not smaller. */
const logitOf = (() => {
  const table = new Int16Array(4096);
  let logit = -mostLogit;
  for (let place = 0; place < table.length; place += 1) {
    while (logit < mostLogit && chanceOf(logit) < place * 16 + 8) logit += 1;
    table[place] = logit;
  }
  return table;
})();

/** How far a probability moves towards the bit just seen, at its n-th use, in 32768ths: 1/1.3, 1/2.3, … down to 1/30. */
const rates = Int32Array.from({ length: 30 }, (_, use) => Math.floor(327_680 / (10 * use + 13)));

/** The initial weight of each input, in 65536ths. */
const firstWeight = 19_660;
/** The number of weight sets: one for each length of the longest context seen before, times two (with and without a repeat). */
const weightSets = 2 * (contextCount + 1);

export interface MixingModel {
  readonly seen: ContextSlots;
  readonly weights: Int32Array;
  readonly repeatChances: Uint16Array;
  readonly repeatUses: Uint8Array;
  /** All bytes so far; and, for each hash of the last `shortestRepeat` bytes, the place where these bytes came last. */
  readonly past: Uint8Array;
  length: number;
  readonly lastPlaces: Int32Array;
  repeatPlace: number;
  repeatLength: number;
  word: number;
  wordBefore: number;
  column: number;
  /** The bits of the current byte after a leading 1, and the same for the current half of the byte. */
  node: number;
  nodeOfHalf: number;
  /** The first node of each context's slot. */
  readonly slots: Int32Array;
  readonly hashes: Int32Array;
  readonly inputs: Int32Array;
  repeatState: number;
  weightSet: number;
  /** The prediction of the next bit. */
  chance: number;
}

const placesLength = 2 ** 14;

/**
 * @param room how many bytes and columns the model will read.
 * @param before a model to start from, which does not change. Call `startColumn` next.
 */
export function createMixingModel(room: number, before?: MixingModel): MixingModel {
  const past = new Uint8Array(room + (before?.length ?? 0));
  if (before) past.set(before.past.subarray(0, before.length));
  // The fields are always listed in one order: engines make fast code for objects of one shape.
  return {
    seen: createContextSlots(2 * contextCount * (room + 1), before?.seen ?? null),
    weights: before?.weights.slice() ?? new Int32Array(weightSets * inputCount).fill(firstWeight),
    repeatChances: before?.repeatChances.slice() ?? new Uint16Array(2 * (longestRepeat + 1)).fill(32_768),
    repeatUses: before?.repeatUses.slice() ?? new Uint8Array(2 * (longestRepeat + 1)),
    past,
    length: before?.length ?? 0,
    lastPlaces: before?.lastPlaces.slice() ?? new Int32Array(placesLength),
    repeatPlace: before?.repeatPlace ?? 0,
    repeatLength: before?.repeatLength ?? 0,
    word: before?.word ?? 0,
    wordBefore: before?.wordBefore ?? 0,
    column: 0,
    node: 1,
    nodeOfHalf: 1,
    slots: new Int32Array(contextCount),
    hashes: new Int32Array(contextCount),
    inputs: new Int32Array(inputCount),
    repeatState: -1,
    weightSet: 0,
    chance: 32_768,
  };
}

/** Hashes have 30 bits: engines may store larger whole numbers in slower objects. */
const mixed = (hash: number, value: number): number => {
  const product = Math.imul(hash ^ value, 0x9e37_79b1);
  return (product ^ (product >>> 15)) & 0x3fff_ffff;
};

/** Switches to another column, in which the same bytes mean something else. The column begins with a new byte. */
export function startColumn(model: MixingModel, column: number): void {
  model.column = column;
  hashContexts(model);
  findSlots(model);
}

function hashContexts(model: MixingModel): void {
  const { past, length, hashes, word, wordBefore } = model;
  const start = mixed(0x2545_f491, model.column);
  hashes[0] = start;
  orders.forEach((order, place) => {
    let hash = mixed(start, order);
    for (let back = 1; back <= order; back += 1) hash = mixed(hash, (past[length - back] ?? 0) + 1);
    hashes[1 + place] = hash;
  });
  const ofWord = mixed(mixed(start, 101), word);
  hashes[contextCount - 2] = ofWord;
  hashes[contextCount - 1] = mixed(mixed(ofWord, 103), wordBefore);
}

/** Finds the slots of the contexts for the next four bits: at the start of a byte and at its middle. */
function findSlots({ seen, slots, hashes, node }: MixingModel): void {
  for (let context = 0; context < contextCount; context += 1)
    slots[context] = findOrAddSlotStart(seen, mixed(mixed(hashes[context] as number, context), node));
}

/** The probability that the next bit is a 1, in 65536ths. */
export function predictBit(model: MixingModel): number {
  const { inputs, slots, weights, nodeOfHalf } = model;
  const { nodes } = model.seen;
  let longest = 0;
  for (let context = 0; context < contextCount; context += 1) {
    const node = nodes[(slots[context] as number) + nodeOfHalf] as number;
    // Contexts stand in this order: none, 1 to 6 bytes, the word, two words. A node without statistics predicts nothing.
    inputs[context] = node === 0 ? 0 : (logitOf[(node >> 12) + 2048] as number);
    if (node !== 0) longest = context;
  }
  model.repeatState = repeatStateOf(model);
  inputs[repeatInput] =
    model.repeatState < 0 ? 0 : (logitOf[(model.repeatChances[model.repeatState] as number) >> 4] as number);
  inputs[constantInput] = 256;
  model.weightSet = (model.repeatState < 0 ? longest : contextCount + longest) * inputCount;
  let sum = 0;
  for (let input = 0; input < inputCount; input += 1)
    sum += (weights[model.weightSet + input] as number) * (inputs[input] as number);
  const logit = Math.floor(sum / 65_536);
  model.chance = chanceOf(Math.min(Math.max(logit, -mostLogit), mostLogit));
  return model.chance;
}

/**
 * The length of the repeat and the bit that it predicts, as one number; -1 if there is no repeat, or if the bits of the current
 * byte differ from it.
 */
function repeatStateOf({ repeatLength, repeatPlace, past, node }: MixingModel): number {
  if (repeatLength === 0) return -1;
  const byte = (past[repeatPlace] as number) | 256;
  const left = Math.clz32(node) - 23;
  if (byte >> left !== node) return -1;
  return Math.min(repeatLength, longestRepeat) * 2 + ((byte >> (left - 1)) & 1);
}

/** Updates the model with the bit that `predictBit` predicted last. */
export function learnBit(model: MixingModel, bit: number): void {
  const { inputs, weights, weightSet, slots, repeatState, nodeOfHalf } = model;
  const { nodes } = model.seen;
  const target = bit * 65_535;
  const error = target - model.chance;
  // The weight of an input grows if the input pointed to the bit that came, and shrinks otherwise.
  for (let input = 0; input < inputCount; input += 1) {
    const place = weightSet + input;
    weights[place] = (weights[place] as number) + (Math.imul(inputs[input] as number, error) >> 15);
  }
  for (let context = 0; context < contextCount; context += 1) {
    const place = (slots[context] as number) + nodeOfHalf;
    const node = nodes[place] as number;
    const used = node & 255;
    const chance = node >> 8;
    const moved = chance + (Math.imul(target - 32_768 - chance, rates[used] as number) >> 15);
    nodes[place] = (moved << 8) | (used < rates.length - 1 ? used + 1 : used);
  }
  if (repeatState >= 0) {
    const { repeatChances, repeatUses } = model;
    const used = repeatUses[repeatState] as number;
    const chance = repeatChances[repeatState] as number;
    repeatChances[repeatState] = chance + (Math.imul(target - chance, rates[used] as number) >> 15);
    if (used < rates.length - 1) repeatUses[repeatState] = used + 1;
  }
  model.node = model.node * 2 + bit;
  model.nodeOfHalf = nodeOfHalf * 2 + bit;
  if (model.nodeOfHalf < nodesPerSlot) return;
  // Four bits are read: the other half of the byte, or the next byte, has other slots.
  model.nodeOfHalf = 1;
  if (model.node >= 256) endByte(model);
  findSlots(model);
}

const isOfWord = (byte: number): boolean =>
  (byte >= 97 && byte <= 122) ||
  (byte >= 65 && byte <= 90) ||
  (byte >= 48 && byte <= 57) ||
  byte === 95 ||
  byte >= 128;

function endByte(model: MixingModel): void {
  const { past } = model;
  const byte = model.node & 255;
  model.node = 1;
  const goesOn = model.repeatLength > 0 && past[model.repeatPlace] === byte;
  past[model.length] = byte;
  model.length += 1;
  if (isOfWord(byte)) model.word = mixed(model.word, byte);
  else if (model.word !== 0) {
    model.wordBefore = model.word;
    model.word = 0;
  }
  model.repeatLength = goesOn ? model.repeatLength + 1 : 0;
  model.repeatPlace += 1;
  seekRepeat(model);
  hashContexts(model);
}

/** If no repeat is active, begins one after the last place of the same bytes. */
function seekRepeat(model: MixingModel): void {
  const { past, length, lastPlaces } = model;
  if (length < shortestRepeat) return;
  let hash = 0;
  for (let back = 1; back <= shortestRepeat; back += 1)
    hash = mixed(hash, (past[length - back] as number) + 1);
  const place = hash & (placesLength - 1);
  const last = lastPlaces[place] as number;
  lastPlaces[place] = length;
  if (model.repeatLength > 0 || last === 0) return;
  let same = 0;
  while (same < Math.min(last, longestRepeat) && past[last - 1 - same] === past[length - 1 - same]) same += 1;
  if (same < shortestRepeat) return;
  model.repeatLength = same;
  model.repeatPlace = last;
}

/**
 * Packs text with the context-mixing model, primed with the dictionary: about a quarter shorter than deflate with the same
 * dictionary, and a hundred times as slow. So only short columns are packed this way: sources, prompts, answers.
 */
import type { ResumableWork } from "../../base/resumable-work.ts";
import { createBitDecoder } from "./bit-decoder.ts";
import { presetDictionary } from "./dictionary.ts";
import { createMixingModel, learnBit, type MixingModel, predictBit, startColumn } from "./mixing-model.ts";
import type { TextUnpacker } from "./packing.ts";
import { refuseLeftoverBytes } from "./range-coder.ts";

/** The most bytes that mixing packs. Each byte takes a few microseconds, and 1.2 KB of memory until all columns are decoded. */
export const mixingLimit = 8192;

/** Bytes that are coded in one step. */
export const mixingBytesPerStep = 256;

let afterDictionary: MixingModel | null = null;

/** The model after it has read the dictionary. The dictionary is read once. */
function* readingDictionary(): ResumableWork<MixingModel> {
  if (afterDictionary) return afterDictionary;
  const model = createMixingModel(presetDictionary.length);
  startColumn(model, 0);
  for (const [place, byte] of presetDictionary.entries()) {
    for (let shift = 7; shift >= 0; shift -= 1) {
      predictBit(model);
      learnBit(model, (byte >> shift) & 1);
    }
    if (place % mixingBytesPerStep === 0) yield 0;
  }
  afterDictionary = model;
  return model;
}

/**
 * A model for columns of these lengths. If the section has text, the text is its last column, and the model keeps the contexts of
 * the dictionary for it; the other columns are numbers, and each has contexts of its own.
 */
export function* mixingModelFor(lengths: readonly number[]): ResumableWork<MixingModel> {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return createMixingModel(total + lengths.length, yield* readingDictionary());
}

export const mixingColumnNumber = (column: number, count: number): number =>
  column === count - 1 ? 0 : column + 1;

/** In steps: decodes the columns that `mixing-encoder.ts` wrote. @throws TraceError when bytes are left over. */
function* decode(bytes: Uint8Array, lengths: readonly number[]): ResumableWork<Uint8Array[]> {
  const model = yield* mixingModelFor(lengths);
  const bits = createBitDecoder(bytes);
  const columns = lengths.map((length) => new Uint8Array(length));
  for (const [column, result] of columns.entries()) {
    if (result.length === 0) continue;
    startColumn(model, mixingColumnNumber(column, columns.length));
    for (let place = 0; place < result.length; place += 1) {
      let byte = 1;
      while (byte < 256) {
        const bit = bits.read(predictBit(model));
        learnBit(model, bit);
        byte = byte * 2 + bit;
      }
      result[place] = byte & 255;
      if (place % mixingBytesPerStep === 0) yield 0;
    }
  }
  refuseLeftoverBytes(bits);
  return columns;
}

/** Decodes the texts of a link. */
export const mixingDecoder: TextUnpacker = { limit: mixingLimit, decode };

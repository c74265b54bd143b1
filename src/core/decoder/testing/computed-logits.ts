/**
 * Rows of logits that lie "on a device" which is this thread: what a DeviceLogits says, computed from the row itself, with sums that
 * are off by as much as they may be. A row that is asked for anything after it was given back throws.
 */

import { mix32 } from "../../base/random.ts";
import { hasToken } from "../../masks/vocabulary/token-bits.ts";
import type { SparseLogitsEdit } from "../../sdk/action.ts";
import { editLogits } from "../logits/logits-edits.ts";
import {
  type DeviceLogits,
  type LogitsChange,
  type LogitsSummary,
  type PieceSums,
  sumErrorBound,
} from "../ports/device-logits.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import { simulateDeviceDraw } from "./computed-draw.ts";

export interface SimulatedLogitsOptions {
  /** Tokens that are listed at least, and at most. */
  readonly fewest: number;
  readonly most: number;
  readonly pieceTokens: number;
}

/** A device that a test simulates on the CPU, with counts of the calls to all its logits. */
export interface SimulatedLogitsDevice extends SimulatedLogitsOptions {
  /** Rows that nobody has given back. */
  alive: number;
  /** Rows that were read whole. */
  reads: number;
}

export function createSimulatedDevice(options: SimulatedLogitsOptions): SimulatedLogitsDevice {
  return { ...options, alive: 0, reads: 0 };
}

/** The row as logits on this device; a copy of the row if it has no summary, because too many logits are equal. */
export function uploadLogitsTo(
  device: SimulatedLogitsDevice,
  logits: Float32Array,
  temperature: number,
  nextLogit: number | null = null,
): DeviceLogits | Float32Array {
  const summary = summaryOf(logits, temperature, device);
  if (!summary) return logits.slice();
  let isGivenBack = false;
  device.alive += 1;
  const row = (): Float32Array => {
    if (isGivenBack) throw new Error("The row was given back already.");
    return logits;
  };
  return {
    summary,
    nextLogit,
    gather: async (tokens) => Float32Array.from(tokens, (token) => row()[token] as number),
    drawToken: async (draw) => simulateDeviceDraw(row(), draw),
    countLeft: async (mask) =>
      row().reduce(
        (count, x, token) => count + (x > Number.NEGATIVE_INFINITY && hasToken(mask, token) ? 1 : 0),
        0,
      ),
    change: async (change, at) => uploadLogitsTo(device, changed(row(), change), at),
    async read() {
      device.reads += 1;
      return row().slice();
    },
    release() {
      row();
      isGivenBack = true;
      device.alive -= 1;
    },
  };
}

/** The model with rows that stay on the device. */
export function withLogitsOn<Model extends LanguageModel>(
  device: SimulatedLogitsDevice,
  model: Model,
): Model & Required<Pick<LanguageModel, "forwardRows" | "uploadRow">> {
  const { vocabularySize: width } = model;
  return Object.assign(model, {
    async forwardRows(tokens: readonly number[], rows: number, temperature: number) {
      const logits = await model.forward(tokens, rows);
      const given = logits.length / width;
      return Array.from({ length: given }, (_, place) => {
        const row = logits.slice(place * width, (place + 1) * width);
        const next = tokens[tokens.length - given + place + 1];
        return uploadLogitsTo(device, row, temperature, next === undefined ? null : (row[next] as number));
      });
    },
    uploadRow: async (logits: Float32Array, temperature: number) =>
      uploadLogitsTo(device, logits, temperature),
  });
}

function changed(row: Float32Array, { mask, tokens, logits }: LogitsChange): Float32Array {
  const edited = editLogits(row, { ...(mask && { mask }) } satisfies SparseLogitsEdit);
  for (const [place, token] of tokens.entries()) edited[token] = logits[place] as number;
  return edited;
}

function summaryOf(
  row: Float32Array,
  temperature: number,
  { fewest, most, pieceTokens }: SimulatedLogitsOptions,
): LogitsSummary | null {
  const finite = [...row.keys()].filter((token) => (row[token] as number) > Number.NEGATIVE_INFINITY);
  finite.sort((a, b) => (row[b] as number) - (row[a] as number) || a - b);
  const least = row[finite[fewest - 1] ?? -1] ?? Number.NEGATIVE_INFINITY;
  const tokens = finite.filter((token) => (row[token] as number) >= least);
  if (tokens.length > most) return null;
  return {
    vocabularySize: row.length,
    tokens: Int32Array.from(tokens),
    logits: Float32Array.from(tokens, (token) => row[token] as number),
    isComplete: tokens.length === finite.length,
    isBroken: row.some((logit) => !(logit < Number.POSITIVE_INFINITY)),
    pieceTokens,
    temperature,
    pieces: Array.from({ length: Math.ceil(row.length / pieceTokens) }, (_, piece) =>
      sumsOf(row.subarray(piece * pieceTokens, (piece + 1) * pieceTokens), temperature),
    ),
  };
}

function sumsOf(logits: Float32Array, temperature: number): PieceSums {
  const largest = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sums = { weight: 0, weighted: 0, scaled: 0 };
  for (const logit of logits) {
    if (logit === Number.NEGATIVE_INFINITY) continue;
    const d = logit - largest;
    sums.weight += Math.exp(d);
    sums.weighted += d * Math.exp(d);
    sums.scaled += Math.exp(d / temperature);
  }
  // As far off as allowed, upwards or downwards by what the piece is.
  const off = (sum: number) => sum * (1 + sumErrorBound * ((mix32(Math.floor(sum * 1e6)) & 1) * 2 - 1));
  return { largest, weight: off(sums.weight), weighted: off(sums.weighted), scaled: off(sums.scaled) };
}

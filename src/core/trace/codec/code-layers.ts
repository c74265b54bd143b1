/**
 * Writes and reads recorded layers (logit lens) in a section of their own; older readers skip the section. Works in steps,
 * because the layers may be larger than the rest of the trace.
 */

import { fromFloat16Bits, isFloat16, toFloat16Bits } from "../../base/float16.ts";
import { type ResumableWork, scaleProgress, workPerStep } from "../../base/resumable-work.ts";
import type {
  TraceHiddenStates,
  TraceLayerSays,
  TraceLayers,
  TraceLayersStep,
  TraceLensToken,
} from "../format/format-layers.ts";
import { traceLimits } from "../format/limits.ts";
import { traceMemoryBytes } from "../format/memory.ts";
import { TraceError } from "../format/trace-error.ts";
import { type ColumnIo, codeFlag, codeList, codeNullable } from "./column-io.ts";

/** In steps: writes or reads the layers. The value is undefined if the trace has no recorded layers. */
export function* codingLayers(
  io: ColumnIo,
  value: TraceLayers | undefined,
): ResumableWork<TraceLayers | undefined> {
  if (!codeFlag(io, "layers.numbers", value !== undefined)) return undefined;
  const coder = new LayersCoder(io);
  const layerCount = io.whole("layers.numbers", value?.layerCount);
  const hiddenSize = io.whole("layers.numbers", value?.hiddenSize);
  const count = coder.within(io.whole("layers.numbers", value?.steps.length), traceLimits.layersSteps);
  const steps: TraceLayersStep[] = [];
  for (let place = 0; place < count; place += 1) {
    steps.push(yield* scaleProgress(coder.step(value?.steps[place]), place / count, (place + 1) / count));
    yield (place + 1) / count;
  }
  return { layerCount, hiddenSize, steps };
}

class LayersCoder {
  readonly #io: ColumnIo;
  /** Distinct tokens, in the order of their first use. */
  readonly #table: Omit<TraceLensToken, "logprob">[] = [];
  readonly #places = new Map<string, number>();
  #index = 0;
  #entriesLeft: number = traceLimits.layersEntries;
  #numbersLeft: number = traceLimits.layersNumbers;

  constructor(io: ColumnIo) {
    this.#io = io;
  }

  within(count: number, most: number): number {
    if (count >= 0 && count <= most) return count;
    throw new TraceError(
      `The trace is damaged: its layer readings have ${count} entries; the limit is ${most}.`,
    );
  }

  *step(value: TraceLayersStep | undefined): ResumableWork<TraceLayersStep> {
    const io = this.#io;
    io.hold(traceMemoryBytes.layersStep);
    const index = io.whole("layers.numbers", value?.index, this.#index);
    this.#index = index;
    const isPlain = codeFlag(io, "layers.numbers", value?.isPlain);
    const count = this.within(io.whole("layers.numbers", value?.layers.length), traceLimits.layers);
    const layers: TraceLayerSays[] = [];
    for (let place = 0; place < count; place += 1) {
      layers.push(this.#says(value?.layers[place], layers.at(-1)?.layer ?? -1));
      if (place % 16 === 15) yield (0.5 * place) / count;
    }
    const hasHidden = codeFlag(io, "layers.numbers", value && value.hidden !== null);
    const hidden = hasHidden ? yield* scaleProgress(this.#hidden(value?.hidden ?? undefined), 0.5, 1) : null;
    return { index, isPlain, layers, hidden };
  }

  #says(value: TraceLayerSays | undefined, before: number): TraceLayerSays {
    const io = this.#io;
    io.hold(traceMemoryBytes.layerSays);
    const layer = io.whole("layers.numbers", value?.layer, before + 1);
    const entropy = io.float32("layers.floats", value?.entropy);
    const most = Math.min(traceLimits.lens, this.#entriesLeft);
    const count = this.within(io.whole("layers.numbers", value?.top.length), most);
    this.#entriesLeft -= count;
    io.enter(count, traceMemoryBytes.lensToken);
    const top = Array.from({ length: count }, (_, place) => this.#token(value?.top[place]));
    const token = codeNullable(io, "layers.numbers", value?.token, (each) => ({
      rank: io.whole("layers.numbers", each?.rank),
      logprob: io.float32("layers.floats", each?.logprob),
    }));
    return { layer, entropy, top, token };
  }

  #token(value: TraceLensToken | undefined): TraceLensToken {
    const io = this.#io;
    const key = value && `${value.token} ${value.text}`;
    const known = key === undefined ? undefined : (this.#places.get(key) ?? this.#table.length);
    const isOld = known !== undefined && known < this.#table.length;
    const place = io.whole("layers.tokens", value && (isOld ? known + 1 : 0));
    const logprob = io.float32("layers.floats", value?.logprob);
    const old = place > 0 ? this.#table[place - 1] : undefined;
    if (old) {
      // `parseTrace` reads the text again each time a token repeats, so each repeat is charged.
      io.spend(old.text.length);
      return { token: old.token, text: old.text, logprob };
    }
    const token = io.whole("layers.ids", value?.token, 0);
    const text = io.text("layers.lengths", "layers.text", value?.text);
    if (key !== undefined) this.#places.set(key, this.#table.length);
    this.#table.push({ token, text });
    return { token, text, logprob };
  }

  *#hidden(value: TraceHiddenStates | undefined): ResumableWork<TraceHiddenStates> {
    const io = this.#io;
    let before = -1;
    const layers = codeList(io, "layers.numbers", value?.layers, (each) => {
      before = io.whole("layers.numbers", each, before + 1);
      return before;
    });
    const count = this.within(io.whole("layers.numbers", value?.numbers.length), this.#numbersLeft);
    this.#numbersLeft -= count;
    io.enter(count, traceMemoryBytes.vectorNumber);
    const isShort = codeFlag(io, "layers.numbers", value?.numbers.every(isFloat16));
    const numbers: number[] = [];
    for (let place = 0; place < count; place += 1) {
      const number = value?.numbers[place];
      numbers.push(
        isShort
          ? fromFloat16Bits(
              io.half("layers.halves", number === undefined ? undefined : toFloat16Bits(number)),
            )
          : io.float32("layers.values", number),
      );
      if (place % (32 * workPerStep) === 0) yield place / count;
    }
    return { layers, numbers };
  }
}

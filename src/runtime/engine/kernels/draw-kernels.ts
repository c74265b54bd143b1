/** Draws a token from a row of logits on the GPU: queues the shaders of draw-wgsl.ts in one submission. */

import { float32AtOrderIndex, orderIndexOfFloat32 } from "../../../core/decoder/logits/float32-order.ts";
import { canBeDrawn, type DrawnToken, type LogitsDraw } from "../../../core/decoder/ports/device-logits.ts";
import {
  chosenFieldOffsets as at,
  binCount,
  chosenStructWords,
  type TokenDrawKernelName,
  tokenDrawShaderOf,
  wordsPerBin,
  wordsPerWeighedPiece,
} from "./draw-wgsl.ts";
import type { KernelRunner, LogitsLocation } from "./kernel-runner.ts";
import { drawWeightFractionBits } from "./weight-wgsl.ts";

/** A key has 32 bits, and each round determines eight of them. */
const rounds = 4;

export class TokenDrawKernels {
  readonly #on: KernelRunner;

  constructor(on: KernelRunner) {
    this.#on = on;
  }

  /** Null if the shaders' integers cannot represent these logits or this temperature, or if the draw hits no token. */
  async draw({ buffer, type, first }: LogitsLocation, draw: LogitsDraw): Promise<DrawnToken | null> {
    const { topK, topP } = draw;
    if (!canBeDrawn(draw)) return null;
    const names = ["weigh", "histogram", "pick", "locate"] as const satisfies readonly TokenDrawKernelName[];
    const [weigh, histogram, pick, locate] = await Promise.all(
      names.map((name) => this.#on.pipeline(name, type, tokenDrawShaderOf)),
    );
    if (!weigh || !histogram || !pick || !locate) return null;
    const { pieces } = this.#on.layout;
    const params = this.#on.params({ first });
    const parameters = this.#on.upload("told", drawParametersOf(draw));
    const chosen = this.#on.upload("chosen", chosenAtFirst(draw));
    const weighed = this.#on.storage("weighed", 4 * wordsPerWeighedPiece * pieces);
    const bins = this.#on.storage("bins", 4 * wordsPerBin * binCount);
    const encoder = this.#on.device.createCommandEncoder();
    const bound = { logits: buffer, params, 3: chosen, 4: parameters };
    const add = (limits: number) => {
      for (let round = 0; round < limits * rounds; round++) {
        this.#on.dispatch(encoder, histogram, { ...bound, 5: bins }, pieces);
        this.#on.dispatch(encoder, pick, { params, 2: weighed, 3: chosen, 4: parameters, 5: bins }, 1);
      }
    };
    encoder.clearBuffer(bins);
    add(topK > 0 ? 1 : 0);
    if (topP < 1) {
      this.#on.dispatch(encoder, weigh, { ...bound, 2: weighed }, pieces);
      add(1);
    }
    this.#on.dispatch(encoder, weigh, { ...bound, 2: weighed }, pieces);
    this.#on.dispatch(encoder, locate, { ...bound, 2: weighed }, 1);
    const read = (copy: ArrayBuffer) => readChosen(new Uint32Array(copy), topK > 0 || topP < 1);
    return this.#on.memory.read(chosen, 0, 4 * chosenStructWords, read, encoder);
  }
}

/** See `TokenDrawParameters`. */
function drawParametersOf({
  temperature,
  largest,
  least,
  leastKept,
  topK,
  topP,
  draw,
}: LogitsDraw): Uint32Array {
  const factor = Math.LOG2E / temperature;
  const shift = 31 - Math.floor(Math.log2(factor));
  const fraction = (share: number) => Math.floor(share * 2 ** 32);
  return Uint32Array.of(
    Math.min(2 ** 32 - 1, Math.round(factor * 2 ** shift)),
    shift,
    bitsOf(largest),
    keyOf(least),
    topK,
    topP < 1 ? Math.max(1, fraction(topP)) : 0,
    keyOf(leastKept) - 1,
    fraction(draw),
  );
}

/** All tokens with a weight are candidates until a limit removes some. Top-k, if given, is applied first. */
function chosenAtFirst({ least, leastKept, topK, topP }: LogitsDraw): Uint32Array {
  const words = new Uint32Array(chosenStructWords);
  words[at.shift] = 24;
  words[at.byMass] = topK > 0 ? 0 : 1;
  words[at.borderKey] = keyOf(topP < 1 ? least : leastKept) - 1;
  return words;
}

function readChosen(words: Uint32Array, hasBorder: boolean): DrawnToken | null {
  const word = (place: number) => words[place] as number;
  const mass = (place: number) => (word(place + 1) * 2 ** 32 + word(place)) / 2 ** drawWeightFractionBits;
  if (word(at.token) === 0xffffffff) return null;
  return {
    token: word(at.token),
    logit: floatOf(word(at.logit)),
    place: word(at.place),
    before: mass(at.before),
    candidates: word(at.candidates),
    mass: mass(at.mass),
    border: hasBorder
      ? {
          whole: mass(at.whole),
          above: mass(at.lastAbove),
          logit: logitOf(word(at.lastKey)),
          ties: word(at.lastTies),
        }
      : null,
  };
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

function bitsOf(logit: number): number {
  float[0] = logit;
  return bits[0] as number;
}

function floatOf(word: number): number {
  bits[0] = word;
  return float[0] as number;
}

/** The order of logits that the shaders use (logits-wgsl.ts): -0 and 0 have the same key, and no key is negative. */
function keyOf(logit: number): number {
  return orderIndexOfFloat32(logit === 0 ? 0 : logit) + 2 ** 31;
}

function logitOf(key: number): number {
  return float32AtOrderIndex(key - 2 ** 31);
}

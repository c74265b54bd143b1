/** Random walks through a constraint: what a mask costs where a model may go, ours and the rivals' by the same rule. */
import { uniformRandom } from "../../../src/core/base/random.ts";
import {
  type Constraint,
  type ConstraintState,
  constraintOf,
} from "../../../src/core/masks/masks/constraint.ts";
import type { Strategy } from "../../../src/core/masks/strategy.ts";
import type { Oracle, OracleMatcher } from "../../../src/core/masks/testing/oracle.ts";
import type { ModelTokenizer } from "../../../src/core/tokenizer/create-tokenizer.ts";

/** Steps of one walk, after which a new one begins. */
const longestWalk = 400;

/** One engine at one position. A mask costs what `mask` and `accept` take together. */
interface WalkPosition {
  /** Bits of the tokens that may come next. */
  mask(): Uint32Array | Promise<Uint32Array>;
  /** @returns false where the walk has ended. */
  accept(token: number): boolean;
  dispose(): void;
}

export interface Walker {
  /** At the beginning. */
  start(): Promise<WalkPosition>;
}

/** Our engine. `strategy` gives the one that is shared by all walks, or a new one for each. */
export function ourWalker(strategy: () => Strategy, tokenizer: ModelTokenizer): Walker {
  return {
    async start() {
      const constraint: Constraint = constraintOf(strategy(), tokenizer);
      let state: ConstraintState = constraint.start;
      return {
        mask: () => state.mask(),
        accept(token) {
          const next = state.advance(token);
          if (next === null) return false;
          state = next;
          return true;
        },
        dispose() {},
      };
    },
  };
}

/** A rival's engine, compiled once for all walks. */
export function rivalWalker(begin: Awaited<ReturnType<Oracle["compile"]>>): Walker {
  return { start: (): Promise<OracleMatcher> => begin() };
}

export interface WalkOptions {
  readonly steps: number;
  /** Milliseconds after which no new step is begun. */
  readonly patience: number;
  /** A mask: a step in four takes one of these tokens, where one is allowed. */
  readonly structural: Uint32Array | null;
  readonly endOfSequence: readonly number[];
  readonly seed: number;
}

/** Milliseconds of each step. Uniform over the allowed tokens, but for the structural ones; a walk ends where nothing or only the end may follow. */
export async function walk(walker: Walker, options: WalkOptions): Promise<readonly number[]> {
  const times: number[] = [];
  let drawn = 0;
  const draw = new Draw(options, () => uniformRandom(options.seed, drawn++));
  const end = performance.now() + options.patience;
  const goesOn = () => times.length < options.steps && performance.now() < end;
  while (goesOn()) {
    const position = await walker.start();
    for (let step = 0; step < longestWalk && goesOn(); step++) {
      let start = performance.now();
      const mask = await position.mask();
      let elapsed = performance.now() - start;
      const token = draw.from(mask);
      if (token < 0) {
        times.push(elapsed);
        break;
      }
      start = performance.now();
      const taken = position.accept(token);
      elapsed += performance.now() - start;
      times.push(elapsed);
      if (!taken) throw new Error(`Token ${token} is in the mask and is not taken.`);
    }
    position.dispose();
  }
  return times;
}

/** Where a token is drawn: kept from step to step, since the garbage of drawing would be collected while a mask is timed. */
class Draw {
  readonly #options: WalkOptions;
  readonly #random: () => number;
  #allowed = new Uint32Array();
  #leading = new Uint32Array();

  constructor(options: WalkOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  /** -1 where nothing but the end may follow. */
  from(mask: Uint32Array): number {
    const { structural, endOfSequence } = this.#options;
    if (this.#allowed.length !== mask.length) {
      this.#allowed = new Uint32Array(mask.length);
      this.#leading = new Uint32Array(mask.length);
    }
    const allowed = this.#allowed;
    allowed.set(mask);
    for (const token of endOfSequence) (allowed[token >> 5] as number) &= ~(1 << (token & 31));
    const among = structural !== null && this.#leads(structural) ? this.#leading : allowed;
    return nthBit(among, Math.floor(this.#random() * countBits(among)));
  }

  /** One time in four where a structural token is allowed. */
  #leads(structural: Uint32Array): boolean {
    for (let index = 0; index < this.#allowed.length; index++) {
      this.#leading[index] = (this.#allowed[index] as number) & (structural[index] ?? 0);
    }
    return countBits(this.#leading) > 0 && this.#random() < 0.25;
  }
}

function countBits(mask: Uint32Array): number {
  let count = 0;
  for (let index = 0; index < mask.length; index++) {
    let word = mask[index] as number;
    for (; word !== 0; word &= word - 1) count++;
  }
  return count;
}

/** The position of the n-th bit that is set; -1 where there are not so many. */
function nthBit(mask: Uint32Array, n: number): number {
  let left = n;
  for (let index = 0; index < mask.length; index++) {
    let word = mask[index] as number;
    for (; word !== 0; word &= word - 1) {
      if (left-- === 0) return index * 32 + 31 - Math.clz32(word & -word);
    }
  }
  return -1;
}

/** A mask of the tokens whose text has JSON's structure in it. */
export function structuralTokens(tokenizer: ModelTokenizer): Uint32Array {
  const mask = new Uint32Array(Math.ceil(tokenizer.vocabSize / 32));
  for (let token = 0; token < tokenizer.vocabSize; token++) {
    if (/[{}[\]",:]/.test(tokenizer.tokenText(token))) (mask[token >> 5] as number) |= 1 << (token & 31);
  }
  return mask;
}

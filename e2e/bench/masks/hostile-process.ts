/**
 * Makes the strategies of hostile inputs in a process of its own, whose heap is limited, and writes some tokens under each.
 * Sends a `HostileTimes` for each input. The process ends when its heap is full.
 */
import { uniformRandom } from "../../../src/core/base/random.ts";
import { constraintOf } from "../../../src/core/masks/masks/constraint.ts";
import { jsonSchema } from "../../../src/core/masks/strategies/json-schema.ts";
import type { Strategy } from "../../../src/core/masks/strategy.ts";
import { ConstraintLimitError, StrategyError } from "../../../src/core/masks/strategy-error.ts";
import { tokensOfMask } from "../../../src/core/masks/testing/draws.ts";
import { hostileInputs } from "../../../src/core/masks/testing/hostile.ts";
import { testTokenizer } from "../../../src/core/masks/testing/vocabularies.ts";

export interface HostileTimes {
  readonly name: string;
  /** The strategy was refused when it was made. */
  readonly refused: boolean;
  /** An error that is not one of a strategy, or an error after the strategy was made. */
  readonly wrong: string;
  /** Milliseconds of processor time: of the strategy, and of the slowest mask with the step after it. */
  readonly made: number;
  readonly slowest: number;
  /** The most memory that the process has held so far, in megabytes. */
  readonly memory: number;
}

const TOKENS = 20;
const tokenizer = testTokenizer("smollm2-135m");

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Writes random tokens. @returns the most milliseconds of one mask and step */
function write(strategy: Strategy): number {
  let slowest = 0;
  let before = processorTime();
  let state = constraintOf(strategy, tokenizer).start;
  for (let taken = 0; taken < TOKENS && !state.isComplete; taken++) {
    const mask = state.samplingMask();
    const computed = processorTime();
    const tokens = tokensOfMask(mask);
    const token = tokens[Math.floor(uniformRandom(5, taken) * tokens.length)] as number;
    const listed = processorTime();
    const next = state.advance(token);
    if (next === null) throw new Error(`The token ${token} of the mask is not allowed.`);
    state = next;
    const after = processorTime();
    slowest = Math.max(slowest, computed - before + (after - listed));
    before = after;
  }
  return slowest;
}

function timesOf(name: string, make: () => Strategy): HostileTimes {
  const begun = processorTime();
  let made = 0;
  let strategy: Strategy | null = null;
  let slowest = 0;
  let wrong = "";
  try {
    strategy = make();
    made = processorTime() - begun;
    slowest = write(strategy);
  } catch (error) {
    if (strategy === null) made = processorTime() - begun;
    const isTyped = error instanceof StrategyError || error instanceof ConstraintLimitError;
    if (strategy !== null || !isTyped) wrong = String(error);
  }
  const memory = process.resourceUsage().maxRSS / 1000;
  return { name, refused: strategy === null, wrong, made, slowest, memory };
}

constraintOf(jsonSchema({ type: "string" }), tokenizer).start.samplingMask();
for (const { name, make } of hostileInputs) process.send?.(timesOf(name, make));
process.disconnect?.();

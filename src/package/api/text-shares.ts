/** Divides the memory for cached texts among the models of an engine: the most recently used model comes first. */
import { cachedTextBudget } from "../../runtime/session/shared/memory-budget.ts";

/** The memory of a model in bytes; `textBytes` is the part of `bytes` for cached texts. */
export interface TextCacheHolder {
  readonly bytes: number;
  readonly textBytes: number;
}

/**
 * The limit of each model for cached texts, in the order of `holders`. The most recently used model gets all memory that the
 * models themselves leave free, up to the share for texts. Each earlier model gets what the later models do not use.
 * @param holders in the order of their last use; the last one used is last
 */
export function divideTextCache(holders: readonly TextCacheHolder[], budgetBytes: number): readonly number[] {
  const models = holders.reduce((sum, { bytes, textBytes }) => sum + bytes - textBytes, 0);
  let room = Math.max(0, Math.min(cachedTextBudget(budgetBytes), budgetBytes - models));
  const newestFirst = holders.toReversed().map(({ textBytes }) => {
    const share = room;
    room -= Math.min(share, textBytes);
    return share;
  });
  return newestFirst.toReversed();
}

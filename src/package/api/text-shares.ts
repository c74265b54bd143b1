/** How the models of an engine share the memory for texts that they keep beside the present ones: the newest uses take it first. */
import { textShareOf } from "../../runtime/session/shared/memory-budget.ts";

/** The memory of a model in bytes; `textBytes` is the part of `bytes` for cached texts. */
export interface TextHolder {
  readonly bytes: number;
  readonly textBytes: number;
}

/**
 * The most that each model may keep, in the given order: the model that was used last may have all that the models themselves
 * leave of the budget, up to the share of texts in it, and each one before it what those after it do not take.
 * @param holders in the order of their last use, the newest last
 */
export function shareTexts(holders: readonly TextHolder[], budgetBytes: number): readonly number[] {
  const models = holders.reduce((sum, { bytes, textBytes }) => sum + bytes - textBytes, 0);
  let room = Math.max(0, Math.min(textShareOf(budgetBytes), budgetBytes - models));
  const newestFirst = holders.toReversed().map(({ textBytes }) => {
    const share = room;
    room -= Math.min(share, textBytes);
    return share;
  });
  return newestFirst.toReversed();
}

/** Divides the memory for cached texts among the models of an engine: the most recently used model takes its part first. */
import { textShareOf } from "../../runtime/session/shared/memory-budget.ts";

/** The memory of a model in bytes; `textBytes` is the part of `bytes` for cached texts. */
export interface TextHolder {
  readonly bytes: number;
  readonly textBytes: number;
}

/**
 * The limit of each model for cached texts, in the given order. The model that was used last gets all memory that the models
 * themselves leave of the budget, up to the share for texts; each earlier model gets what the later models do not use.
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

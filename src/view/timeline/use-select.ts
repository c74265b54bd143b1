/** Selects tokens by drags and keys, whose events come faster than the page draws. */
import { useRef } from "react";
import { isSameSelection, type Selection, selectionAfterClick } from "../../core/trace/model/selection.ts";

/** Returns a function that selects a token, or, with `extend`, extends the selection up to it. `count`: number of tokens. */
export function useTokenSelect(
  selection: Selection | null,
  count: number,
  onSelect: (selection: Selection) => void,
): (index: number, extend: boolean) => void {
  const latest = useRef(selection);
  latest.current = selection;
  return (index, extend) => {
    if (count === 0) return;
    const next = selectionAfterClick(latest.current, index, extend);
    latest.current = next;
    if (!isSameSelection(next, selection)) onSelect(next);
  };
}

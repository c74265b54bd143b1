/** The keys that move through the text, in one table, which the ribbon and the page's list of keys use. */

/** Where a key leads from a token of the text. */
export type TextMove = "previous" | "next" | "above" | "below" | "first" | "last";

export interface TextMoveRow {
  /** Keys by their names in `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  readonly withShift?: true;
  readonly does: string;
  /** For each of `keys`, where it moves the selection. The text handles these keys while it has the focus. */
  readonly moves: readonly TextMove[];
}

export const textMoves: readonly TextMoveRow[] = [
  { keys: ["ArrowLeft", "ArrowRight"], does: "Previous or next token", moves: ["previous", "next"] },
  {
    keys: ["ArrowLeft", "ArrowRight"],
    withShift: true,
    does: "Select more or fewer tokens",
    moves: ["previous", "next"],
  },
  { keys: ["ArrowUp", "ArrowDown"], does: "Token above or below", moves: ["above", "below"] },
  { keys: ["Home", "End"], does: "First or last token", moves: ["first", "last"] },
];

/** Where a key moves the selection in the text; null for other keys. */
export function findTextMove(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">,
): TextMove | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  for (const { keys, moves } of textMoves) {
    const move = moves[keys.indexOf(event.key)];
    if (move) return move;
  }
  return null;
}

/** The words of the ribbon: each token is one cell, marked by how it came. */
import { memo } from "react";
import type { TraceModel } from "../../trace/trace-model.ts";
import { describeToken } from "../../trace/trace-text.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { type Cell, cellsOf, chunkSize } from "./ribbon-cells.ts";

interface ChunkProps {
  readonly trace: TraceModel;
  readonly start: number;
  /** A number that changes with the chunk, since the trace grows in place and stays the same object. */
  readonly revision: number;
  readonly cursor: number | null;
  /** Indices of the selected tokens of the chunk: from the first to before the end; -1 where there are none. */
  readonly rangeFirst: number;
  readonly rangeEnd: number;
  /** Number of the removed span whose tokens and replacement are highlighted together. */
  readonly tied: number | null;
}

export const Chunk = memo(function Chunk(props: ChunkProps) {
  const { trace, start, cursor, rangeFirst, rangeEnd, tied } = props;
  const end = Math.min(start + chunkSize, trace.tokens.text.length);
  return cellsOf(trace, start, end).map((cell) => (
    <Token
      key={cell.index}
      cell={cell}
      label={describeToken(trace, cell.index)}
      isCursor={cell.index === cursor}
      selected={cell.index >= rangeFirst && cell.index < rangeEnd}
      tied={tied !== null && (cell.span === tied || cell.replaces === tied)}
    />
  ));
});

interface TokenProps {
  readonly cell: Cell;
  readonly label: string;
  readonly isCursor: boolean;
  readonly selected: boolean;
  readonly tied: boolean;
}

function Token({ cell, label, isCursor, selected, tied }: TokenProps) {
  const classes = ["cell", `cell-${cell.mark}`];
  if (cell.first) classes.push("cell-first");
  if (cell.last) classes.push("cell-last");
  if (cell.arrives) classes.push("cell-arrives");
  if (tied) classes.push("cell-tied");
  if (isCursor) classes.push("cell-cursor");
  if (cell.surprise) classes.push(`cell-surprise-${cell.surprise}`);
  return (
    // The list has the focus, and names the chosen word as its active one: a word that took it on a click would keep it
    // while the arrow keys move on.
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <span
      role="option"
      id={cellId(cell.index)}
      data-index={cell.index}
      aria-selected={selected}
      aria-label={label}
      title={label}
      className={classes.join(" ")}
    >
      {cell.lead !== "" && <span className="lead">{cell.lead.slice(0, longestWord)}</span>}
      <span className="word">
        <Ghost cell={cell} />
        {wordOf(cell)}
      </span>
    </span>
  );
}

/** The ghost above a word, cut to the room before the next ghost. */
function Ghost({ cell: { ghost, ghostWidth } }: { cell: Cell }) {
  if (ghost === null || ghostWidth === "none") return null;
  const style = typeof ghostWidth === "number" ? { maxWidth: `${ghostWidth.toFixed(2)}em` } : undefined;
  return <span className="ghost" style={style} data-text={ghostWidth === "sign" ? "" : visibleText(ghost)} />;
}

/** UTF-16 units of a word that are drawn. */
const longestWord = 80;

/**
 * The text of a cell's word. Newlines are drawn as a sign and still break the line; a token without text has a sign of its
 * own. Only the first newlines have their sign in grey, so that no token is many elements.
 */
function wordOf(cell: Cell) {
  if (cell.mark === "end")
    return <i className="sign">{cell.word.trim() === "" ? "¶" : `${visibleText(cell.word)}¶`}</i>;
  if (cell.word === "") return cell.lead === "" ? <i className="sign">·</i> : null;
  const [, before = "", breaks = "", after = ""] =
    /^([^\n]*)(\n*)(.*)$/s.exec(cell.word.slice(0, longestWord)) ?? [];
  if (breaks === "") return visibleText(cell.word);
  return (
    <>
      {visibleText(before)}
      <i className="sign">{breaks.replaceAll("\n", "↵\n")}</i>
      {visibleLines(after)}
      {cell.word.length > longestWord && "…"}
    </>
  );
}

/** Text that breaks where its newlines are. */
function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => visibleText(line))
    .join("↵\n");
}

export function cellId(index: number): string {
  return `token-${index}`;
}

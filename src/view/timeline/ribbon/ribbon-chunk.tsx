/** The words of the ribbon: each token is one cell, marked by how it came. */
import { memo } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { describeToken } from "../../../core/trace/model/trace-text.ts";
import { isPartOfCharacter, showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { cellsOf, cellsPerChunk, type TokenCell } from "./ribbon-cells.ts";
import type { CellMark } from "./text-marks.ts";

interface ChunkProps {
  readonly trace: TraceModel;
  readonly start: number;
  /** A number that changes with the chunk's content, because the trace grows in place and stays the same object. */
  readonly revision: number;
  readonly cursor: number | null;
  /** The selected tokens of the chunk: from `rangeFirst` to before `rangeEnd`; -1 if none is selected. */
  readonly rangeFirst: number;
  readonly rangeEnd: number;
  /** Number of the removed span whose tokens and replacement are highlighted together. */
  readonly tied: number | null;
  /** Whether words are shaded by surprise, and whether words with the mark `same` are marked. */
  readonly shade: boolean;
  readonly showsSame: boolean;
  /** Marks by token index. */
  readonly marks?: ReadonlyMap<number, CellMark> | undefined;
  /** Tokens before this index are the model's reasoning. */
  readonly reasoningEnd: number;
}

export const RibbonChunk = memo(function Chunk(props: ChunkProps) {
  const { trace, start, cursor, rangeFirst, rangeEnd, tied, shade, showsSame, marks, reasoningEnd } = props;
  const end = Math.min(start + cellsPerChunk, trace.tokens.text.length);
  return cellsOf(trace, start, end).map((cell) => {
    const isCursor = cell.index === cursor;
    const selected = cell.index >= rangeFirst && cell.index < rangeEnd;
    const isTied = tied !== null && (cell.span === tied || cell.replaces === tied);
    const isMarked = cell.mark !== "plain" && (cell.mark !== "same" || showsSame);
    const isShaded = shade && (cell.surprise ?? 0) > 0;
    const mark = marks?.get(cell.index);
    return (
      <Token
        key={cell.index}
        cell={cell}
        label={describeToken(trace, cell.index)}
        mark={mark}
        isReasoning={cell.index < reasoningEnd}
        isCursor={isCursor}
        selected={selected}
        tied={isTied}
        isFlat={
          !(isCursor || selected || isTied || isMarked || isShaded || mark) && cell.counterfactual === null
        }
      />
    );
  });
});

interface TokenProps {
  readonly cell: TokenCell;
  readonly label: string;
  readonly mark: CellMark | undefined;
  readonly isReasoning: boolean;
  readonly isCursor: boolean;
  readonly selected: boolean;
  readonly tied: boolean;
  /**
   * True if nothing is drawn at the word, so that its text needs no elements of its own. That is true for most words of most
   * runs.
   */
  readonly isFlat: boolean;
}

function Token({ cell, label, mark, isReasoning, isCursor, selected, tied, isFlat }: TokenProps) {
  const classes = ["cell", `cell-${cell.mark}`];
  if (isFlat) classes.push("cell-flat");
  if (isReasoning) classes.push("cell-reasoning");
  if (cell.first) classes.push("cell-first");
  if (cell.last) classes.push("cell-last");
  if (cell.arrives) classes.push("cell-arrives");
  if (cell.isSteered) classes.push("cell-steered");
  if (cell.isRepeated) classes.push("cell-repeated");
  if (tied) classes.push("cell-tied");
  if (isCursor) classes.push("cell-cursor");
  if (mark) classes.push(mark.className);
  if (cell.surprise) classes.push(`cell-surprise-${cell.surprise}`);
  return (
    // The list has the focus and names the selected word as its active option. If a clicked word took the focus, it would keep
    // it while the arrow keys move on.
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <span
      role="option"
      id={cellId(cell.index)}
      data-index={cell.index}
      aria-selected={selected}
      aria-label={label}
      title={label}
      className={classes.join(" ")}
      {...mark?.says}
    >
      {isFlat ? flatText(cell) : <MarkedWord cell={cell} />}
    </span>
  );
}

function MarkedWord({ cell }: { cell: TokenCell }) {
  return (
    <>
      {cell.lead !== "" && <span className="lead">{leadOf(cell)}</span>}
      <span className="word">
        <Counterfactual cell={cell} />
        {renderCellWord(cell)}
      </span>
    </>
  );
}

function leadOf({ lead }: TokenCell): string {
  return lead.slice(0, longestWord);
}

/** White space and word together, as one text if the word is plain text. */
function flatText(cell: TokenCell) {
  const word = renderCellWord(cell);
  if (typeof word === "string") return leadOf(cell) + word;
  return (
    <>
      {leadOf(cell)}
      {word}
    </>
  );
}

/** The counterfactual above a word, cut to the room before the next counterfactual. */
function Counterfactual({ cell: { counterfactual, counterfactualWidth } }: { cell: TokenCell }) {
  if (counterfactual === null || counterfactualWidth === "none") return null;
  const style =
    typeof counterfactualWidth === "number" ? { maxWidth: `${counterfactualWidth.toFixed(2)}em` } : undefined;
  return (
    <span
      className="counterfactual"
      style={style}
      data-text={counterfactualWidth === "sign" ? "" : showInvisibleCharacters(counterfactual)}
    />
  );
}

/** The most UTF-16 units of a word that are drawn. */
const longestWord = 80;

/**
 * The text of a cell's word. Newlines are drawn as a sign and still break the line; a token without text has a sign of its
 * own. Signs are not copied (`ribbon.css`). Only the first newlines have a sign, so that no token is many elements.
 */
export function renderCellWord(cell: TokenCell) {
  if (cell.mark === "end")
    return <i className="sign">{cell.word.trim() === "" ? "¶" : `${showInvisibleCharacters(cell.word)}¶`}</i>;
  if (isPartOfCharacter(cell.word)) return <i className="sign">·</i>;
  if (cell.word === "") return cell.lead === "" ? <i className="sign">·</i> : null;
  const [, before = "", breaks = "", after = ""] =
    /^([^\n]*)(\n*)(.*)$/s.exec(cell.word.slice(0, longestWord)) ?? [];
  if (breaks === "") return showInvisibleCharacters(cell.word);
  return (
    <>
      {showInvisibleCharacters(before)}
      <i className="sign">{"↵".repeat(breaks.length)}</i>
      {breaks}
      {visibleLines(after)}
      {cell.word.length > longestWord && "…"}
    </>
  );
}

/** Draws a text with a line break at each newline. */
function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => showInvisibleCharacters(line))
    .join("\n");
}

export function cellId(index: number): string {
  return `token-${index}`;
}

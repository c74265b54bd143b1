/**
 * Both outputs, side by side or, on a narrow page, one above the other. The text is a single stop for the Tab key; arrow keys
 * move inside.
 */
import { type KeyboardEvent, type MouseEvent, memo, useLayoutEffect, useMemo, useRef } from "react";
import type { Comparison, Side } from "../../../core/trace/compare/comparison.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { countWithNoun } from "../../ui/format.ts";
import { estimateLayoutWork } from "../ribbon/block-heights.ts";
import { useBlockWindow } from "../ribbon/use-block-window.ts";
import { differenceAtCell } from "./compare-marks.ts";
import {
  type CompareRow,
  cellsInRow,
  changedWordCellIndices,
  firstDifferingWordColumn,
  rowOfColumn,
} from "./compare-rows.ts";
import { CompareToken } from "./compare-token.tsx";
import "../ribbon/ribbon.css";
import "./compare.css";

interface CompareTextProps {
  readonly comparison: Comparison;
  readonly left: TraceModel;
  readonly right: TraceModel;
  readonly column: number;
  readonly rows: readonly CompareRow[];
  readonly onColumn: (column: number) => void;
  /** Shows the words of a folded row. */
  readonly onUnfold: (row: CompareRow) => void;
}

/** Number of rows in a block. Only the blocks near the view are drawn. */
const blockRows = 6;
const mostRowsWithoutBlocks = 24;
const letters: Readonly<Record<Side, string>> = { left: "A", right: "B" };

export function CompareText({ comparison, left, right, column, rows, onColumn, onUnfold }: CompareTextProps) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const divergence = useDivergence(comparison, left, right);
  const isWhole = rows.length <= mostRowsWithoutBlocks;
  const rowsOf = (block: number) => rows.slice(block * blockRows, (block + 1) * blockRows);
  const { first, last, before, after, look, show } = useBlockWindow({
    box,
    text: list,
    count: isWhole ? 0 : Math.ceil(rows.length / blockRows),
    blocks: {
      isEmpty: () => false,
      workOf: (block) => workOfRows(comparison, { left, right }, rowsOf(block)),
    },
    measuredFor: `${rows.length} ${comparison.columns}`,
  });
  const cursorRow = rowOfColumn(rows, column);
  const scrollsToCursor = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a cursor that moves is scrolled to
  useLayoutEffect(() => {
    scrollsToCursor.current = true;
    show(Math.floor(cursorRow / blockRows));
  }, [column, comparison]);
  useLayoutEffect(() => {
    const cell = scrollsToCursor.current ? list.current?.querySelector(".cell-cursor") : null;
    if (!cell) return;
    scrollsToCursor.current = false;
    cell.scrollIntoView({ block: "nearest" });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const row = rows[cursorRow];
    if (event.key === "Enter" && row?.type === "folded") onUnfold(row);
    else {
      const next = columnAfter(event.key, rows, cursorRow, column);
      if (next === null) return;
      onColumn(Math.max(0, Math.min(comparison.columns - 1, next)));
    }
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const { column: clicked, fold } = clickedCell(event);
    const folded = rows[Number(fold ?? -1)];
    if (folded) onUnfold(folded);
    else if (clicked !== undefined) onColumn(Number(clicked));
  };
  const active = activeId(comparison, rows, cursorRow, column);
  const isDrawn = isWhole || (cursorRow >= first * blockRows && cursorRow < last * blockRows);
  const shared = { comparison, left, right, column, rows, divergence };
  return (
    <div ref={box} className="compare-scroll" onScroll={look}>
      <div
        ref={list}
        className="compare-text"
        translate="no"
        role="listbox"
        aria-label="Both outputs, word by word"
        aria-multiselectable="true"
        aria-activedescendant={isDrawn ? active : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        {isWhole ? (
          <Rows shared={shared} from={0} to={rows.length} />
        ) : (
          <>
            <div role="none" style={{ height: before }} />
            <Blocks shared={shared} first={first} last={last} />
            <div role="none" style={{ height: after }} />
          </>
        )}
      </div>
    </div>
  );
}

/** The column in which the first differing word begins. */
function useDivergence(comparison: Comparison, left: TraceModel, right: TraceModel): number | null {
  return useMemo(() => firstDifferingWordColumn(comparison, { left, right }), [comparison, left, right]);
}

/** The data attributes of the clicked cell or fold, which name its column or row. */
function clickedCell(event: MouseEvent): DOMStringMap {
  const target = (event.target as Element).closest<HTMLElement>("[data-column], [data-fold]");
  return target?.dataset ?? {};
}

interface RowsProps {
  readonly shared: Pick<CompareTextProps, "comparison" | "left" | "right" | "column"> & {
    readonly rows: readonly CompareRow[];
    /** The column in which the first differing word begins. */
    readonly divergence: number | null;
  };
  readonly from: number;
  readonly to: number;
}

/** The rows from `from` to before `to`. */
function Rows({ shared: { comparison, left, right, column, rows, divergence }, from, to }: RowsProps) {
  return rows
    .slice(from, to)
    .map((row, at) => (
      <Row
        key={`${row.type} ${row.first}`}
        comparison={comparison}
        left={left}
        right={right}
        row={row}
        number={from + at}
        cursor={column >= row.first && column < row.end ? column : null}
        isDivergence={row.first === divergence}
      />
    ));
}

interface BlocksProps extends Pick<RowsProps, "shared"> {
  readonly first: number;
  readonly last: number;
}

/** The blocks of rows near the view, from `first` to before `last`. */
function Blocks({ shared, first, last }: BlocksProps) {
  return Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at).map((block) => (
    <div key={block} role="none" data-block={block}>
      <Rows shared={shared} from={block * blockRows} to={(block + 1) * blockRows} />
    </div>
  ));
}

function workOfRows(
  comparison: Comparison,
  models: Readonly<Record<Side, TraceModel>>,
  rows: readonly CompareRow[],
): number {
  const texts = (row: CompareRow, side: Side) =>
    cellsInRow(comparison, row, side).map(({ index }) => models[side].tokens.text[index] ?? "");
  const drawn = rows.filter(({ type }) => type === "text");
  return estimateLayoutWork(drawn.flatMap((row) => [...texts(row, "left"), ...texts(row, "right")]));
}

const cellId = (side: Side, index: number) => `compare-${side}-${index}`;
const foldId = (row: number) => `compare-fold-${row}`;

/** Id of the option that represents a column: the fold, or the token of B, or, if B has none there, the token of A. */
function activeId(
  comparison: Comparison,
  rows: readonly CompareRow[],
  cursorRow: number,
  column: number,
): string | undefined {
  const row = rows[cursorRow];
  if (!row) return undefined;
  if (row.type === "folded") return foldId(cursorRow);
  for (const side of ["right", "left"] as const) {
    const cell = cellsInRow(comparison, row, side).find((each) => each.column === column);
    if (cell) return cellId(side, cell.index);
  }
  return undefined;
}

/** The column to which a key moves the cursor; a folded row counts as one step. Null for other keys. */
function columnAfter(
  key: string,
  rows: readonly CompareRow[],
  cursorRow: number,
  column: number,
): number | null {
  const row = rows[cursorRow];
  if (!row) return null;
  const isFolded = row.type === "folded";
  switch (key) {
    case "ArrowLeft":
      return (isFolded ? row.first : column) - 1;
    case "ArrowRight":
      return isFolded ? row.end : column + 1;
    case "ArrowUp":
      return rows[cursorRow - 1]?.first ?? row.first;
    case "ArrowDown":
      return rows[cursorRow + 1]?.first ?? row.end - 1;
    case "Home":
      return 0;
    case "End":
      return rows.at(-1)?.end ?? 0;
    default:
      return null;
  }
}

interface RowProps {
  readonly comparison: Comparison;
  readonly left: TraceModel;
  readonly right: TraceModel;
  readonly row: CompareRow;
  readonly number: number;
  readonly cursor: number | null;
  readonly isDivergence: boolean;
}

interface RowSideProps extends RowProps {
  readonly side: Side;
  readonly models: Readonly<Record<Side, TraceModel>>;
}

function RowSide({ comparison, row, cursor, side, models }: RowSideProps) {
  const trace = models[side];
  const cells = cellsInRow(comparison, row, side);
  const changed = changedWordCellIndices(cells, trace.tokens.text);
  return cells.map((cell, at) => (
    <CompareToken
      key={cell.index}
      id={cellId(side, cell.index)}
      letter={letters[side]}
      trace={trace}
      cell={cell}
      isInChangedWord={changed.has(at)}
      isCursor={cell.column === cursor}
      difference={differenceAtCell(comparison, models, side, cell, cells[at - 1])}
    />
  ));
}

const Row = memo(function Row(props: RowProps) {
  const { left, right, row, number, cursor, isDivergence } = props;
  if (row.type === "folded") {
    const count = row.end - row.first;
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active option
      <div
        role="option"
        id={foldId(number)}
        data-fold={number}
        aria-selected={cursor !== null}
        className={cursor === null ? "compare-fold" : "compare-fold cell-cursor"}
        title="Show these tokens"
      >
        {`${countWithNoun(count, "token")} ${count === 1 ? "is" : "are"} the same in both`}
      </div>
    );
  }
  const models = { left, right };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={
        isDivergence ? "Row with the first difference" : `Row that begins at column ${row.first + 1}`
      }
      className={isDivergence ? "compare-row compare-divergence" : "compare-row"}
    >
      {(["left", "right"] as const).map((side) => (
        <div key={side} role="none" className="compare-side" data-letter={letters[side]}>
          <RowSide {...props} side={side} models={models} />
        </div>
      ))}
    </div>
  );
});

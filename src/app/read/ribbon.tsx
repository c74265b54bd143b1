/** The text as it was written, token by token: what the model chose is plain, what a mod did is marked. */
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { TraceModel } from "../../trace/trace-model.ts";
import { describeToken } from "../../trace/trace-text.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { type TextMove, textMoveOf } from "../keys.ts";
import { Button } from "../ui/button.tsx";
import { PromptLine } from "./prompt-line.tsx";
import { type Cell, cellsOf, chunkRevision, chunkSize } from "./ribbon-cells.ts";
import "./ribbon.css";

interface RibbonProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly selected: number | null;
  readonly shade: boolean;
  readonly folded: boolean;
  /** True where odds were adjusted nearly everywhere: then only the words that came out another are marked. */
  readonly hidesOdds: boolean;
  /** Stands below the text. */
  readonly below: ReactNode;
  readonly onSelect: (index: number) => void;
}

/** The view follows the text being written while it is scrolled to within so many px of the end. */
const followWithin = 48;

export function Ribbon(props: RibbonProps) {
  const { trace, version, running, selected, shade, folded, hidesOdds, below, onSelect } = props;
  const box = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const count = trace.tokens.text.length;

  useEffect(() => setFollowing(trace.finished === null), [trace]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version may have made the text longer
  useLayoutEffect(() => {
    if (running && following && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [version, running, following]);
  useLayoutEffect(() => {
    if (selected !== null) document.getElementById(cellId(selected))?.scrollIntoView({ block: "nearest" });
  }, [selected]);

  const onScroll = () => {
    const element = box.current;
    if (element) setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < followWithin);
  };
  const onClick = (event: MouseEvent) => {
    const cell = (event.target as Element).closest<HTMLElement>("[data-index]");
    if (cell) onSelect(Number(cell.dataset.index));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = targetOfKey(event, selected, count);
    if (next === null) return;
    event.preventDefault();
    onSelect(next);
  };
  const className = [
    "ribbon",
    shade && "ribbon-shaded",
    folded && "ribbon-folded",
    hidesOdds && "ribbon-odds-hidden",
  ]
    .filter(Boolean)
    .join(" ");
  const tied = tiedSpan(trace, selected);
  const chunks = Array.from({ length: Math.ceil(count / chunkSize) }, (_, chunk) => chunk * chunkSize);
  return (
    <div className="ribbon-frame">
      <div ref={box} className="ribbon-scroll" onScroll={onScroll}>
        <PromptLine trace={trace} />
        <div
          id="ribbon"
          role="listbox"
          aria-label="Tokens"
          aria-orientation="horizontal"
          aria-activedescendant={selected === null ? undefined : cellId(selected)}
          tabIndex={0}
          className={className}
          onClick={onClick}
          onKeyDown={onKeyDown}
        >
          {chunks.map((start) => (
            <Chunk
              key={start}
              trace={trace}
              start={start}
              revision={chunkRevision(trace, start)}
              selected={
                selected !== null && selected >= start && selected < start + chunkSize ? selected : null
              }
              tied={tied !== null && reaches(trace, tied, start) ? tied : null}
            />
          ))}
          {running && <span className="caret" aria-hidden="true" />}
        </div>
        {below}
      </div>
      {running && !following && (
        <Button className="ribbon-newest" icon="down" onClick={() => setFollowing(true)}>
          Newest
        </Button>
      )}
    </div>
  );
}

interface ChunkProps {
  readonly trace: TraceModel;
  readonly start: number;
  /** A number that changes with the chunk, since the trace grows in place and stays the same object. */
  readonly revision: number;
  readonly selected: number | null;
  /** Number of the removed span whose tokens and replacement are highlighted together. */
  readonly tied: number | null;
}

const Chunk = memo(function Chunk({ trace, start, selected, tied }: ChunkProps) {
  const end = Math.min(start + chunkSize, trace.tokens.text.length);
  return cellsOf(trace, start, end).map((cell) => (
    <Token
      key={cell.index}
      cell={cell}
      label={describeToken(trace, cell.index)}
      selected={cell.index === selected}
      tied={tied !== null && (cell.span === tied || cell.replaces === tied)}
    />
  ));
});

interface TokenProps {
  readonly cell: Cell;
  readonly label: string;
  readonly selected: boolean;
  readonly tied: boolean;
}

function Token({ cell, label, selected, tied }: TokenProps) {
  const classes = ["cell", `cell-${cell.mark}`];
  if (cell.first) classes.push("cell-first");
  if (cell.last) classes.push("cell-last");
  if (cell.arrives) classes.push("cell-arrives");
  if (tied) classes.push("cell-tied");
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
      {cell.lead !== "" && <span className="lead">{cell.lead}</span>}
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

/**
 * The text of a cell's word. Newlines are drawn as a sign and still break the line; a token without text has a sign of its
 * own.
 */
function wordOf(cell: Cell) {
  if (cell.mark === "end") return <i className="sign">{cell.word.trim() === "" ? "¶" : `${cell.word}¶`}</i>;
  if (cell.word === "") return cell.lead === "" ? <i className="sign">·</i> : null;
  if (!cell.word.includes("\n")) return visibleText(cell.word);
  const lines = cell.word.split("\n");
  return lines.map((line, number) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one token never change places
    <span key={number}>
      {visibleText(line)}
      {number < lines.length - 1 && (
        <>
          <i className="sign">↵</i>
          {"\n"}
        </>
      )}
    </span>
  ));
}

function cellId(index: number): string {
  return `token-${index}`;
}

/** The removed span that the selected token belongs to or replaces. */
function tiedSpan(trace: TraceModel, selected: number | null): number | null {
  if (selected === null) return null;
  const removedBy = trace.tokens.removedBy[selected] ?? -1;
  const replaces = trace.tokens.replaces[selected] ?? -1;
  return removedBy >= 0 ? removedBy : replaces >= 0 ? replaces : null;
}

/** Whether tokens of a removed span, or of its replacement, may be in the chunk at `start`. */
function reaches(trace: TraceModel, number: number, start: number): boolean {
  const span = trace.spans[number];
  const first = span?.removed[0] ?? 0;
  const last = span?.replacedBy.at(-1) ?? span?.removed.at(-1) ?? first;
  return first < start + chunkSize && last >= start;
}

function targetOfKey(
  event: KeyboardEvent<HTMLElement>,
  selected: number | null,
  count: number,
): number | null {
  const move = textMoveOf(event);
  if (count === 0 || move === null) return null;
  const at = selected ?? -1;
  const clamp = (index: number) => Math.max(0, Math.min(count - 1, index));
  const targets: Readonly<Record<TextMove, () => number>> = {
    next: () => clamp(at + 1),
    previous: () => clamp(at - 1),
    first: () => 0,
    last: () => count - 1,
    below: () => lineNeighbour(clamp(at), count, 1),
    above: () => lineNeighbour(clamp(at), count, -1),
  };
  return targets[move]();
}

/** The token nearest in x on the line above or below. Lines are where the browser's layout put them. */
function lineNeighbour(from: number, count: number, direction: 1 | -1): number {
  const box = (index: number) => document.getElementById(cellId(index))?.getBoundingClientRect();
  const start = box(from);
  if (!start) return from;
  const middle = start.left + start.width / 2;
  let line: number | null = null;
  let best = from;
  let distance = Number.POSITIVE_INFINITY;
  for (let index = from + direction; index >= 0 && index < count; index += direction) {
    const rectangle = box(index);
    if (!rectangle || Math.abs(rectangle.bottom - start.bottom) < 8 || rectangle.width === 0) continue;
    line ??= rectangle.bottom;
    if (Math.abs(rectangle.bottom - line) > 8) break;
    const away = Math.abs(rectangle.left + rectangle.width / 2 - middle);
    if (away < distance) {
      distance = away;
      best = index;
    }
  }
  return best;
}

/** The text of the output, token by token: tokens of the model are plain, changes by mods are marked. */
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import {
  overlap,
  rangeOf,
  type Selection,
  selectionAfterClick,
  selectToken,
} from "../../../core/trace/model/selection.ts";
import { noIndex } from "../../../core/trace/model/token-table.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { chevronDownPath, IconShape } from "../../ui/icon-shape.tsx";
import { renderInThisFrame } from "../../ui/in-this-frame.ts";
import { PromptLine } from "../prompt-line.tsx";
import { estimateLayoutWork } from "./block-heights.ts";
import { isFoldedRemovedRange } from "./folded-away.ts";
import { cellsPerChunk, chunkRevision } from "./ribbon-cells.ts";
import { cellId, RibbonChunk } from "./ribbon-chunk.tsx";
import { scrollCellIntoView } from "./scroll-to-cell.ts";
import type { TextMarks } from "./text-marks.ts";
import { findTextMove, type TextMove } from "./text-moves.ts";
import { useBlockWindow } from "./use-block-window.ts";
import type { FoldedReasoning } from "./use-folded-reasoning.tsx";
import "../../ui/button.css";
import "./ribbon.css";

export interface TokenRibbonProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly selection: Selection | null;
  readonly shade: boolean;
  readonly folded: boolean;
  /** True if mods adjusted the probabilities at nearly every token: then only tokens that became different are marked. */
  readonly hidesSame: boolean;
  /** Marks that another view lays over the words. */
  readonly marks?: TextMarks | null;
  /** The model's reasoning, which is folded away; null if it did not think. */
  readonly reasoning?: FoldedReasoning | null;
  /** Content below the text. */
  readonly below: ReactNode;
  readonly onSelect: (selection: Selection) => void;
}

/** While the scroll position is within this many px of the end, the view follows the growing text. */
const followWithin = 48;

/**
 * A text of at most `drawnWhole` tokens is drawn whole. A longer text is split into blocks of `blockSize` tokens, and only
 * blocks near the view are drawn.
 */
const drawnWhole = 8 * cellsPerChunk;
const blockSize = 2 * cellsPerChunk;

/** The head of the step if it stands below the text, as on a narrow page; null if it stands beside the text. */
function stepBelow(box: HTMLElement | null): Element | null {
  const step = (box?.getRootNode() as ParentNode | undefined)?.querySelector(".inspector-head");
  if (!box || !step) return null;
  return step.getBoundingClientRect().top >= box.getBoundingClientRect().bottom ? step : null;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: keys, selection and drawing share one window of words
export function TokenRibbon(props: TokenRibbonProps) {
  const { trace, version, running, selection, shade, folded, hidesSame, marks, reasoning, below, onSelect } =
    props;
  const selected = selection?.cursor ?? null;
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  /** True from the first chosen token on. A narrow page then shows less of the text, so that the token's step begins in view. */
  const [isInspecting, setInspecting] = useState(false);
  const count = trace.tokens.text.length;
  const hiddenBefore = reasoning?.isFolded ? reasoning.end : 0;
  const blocks = useBlockWindow({
    box,
    text: list,
    count: count > drawnWhole ? Math.ceil(count / blockSize) : 0,
    blocks: {
      isEmpty: (block) =>
        (block + 1) * blockSize <= hiddenBefore ||
        (folded && isFoldedRemovedRange(trace, blockTokens(block), selected)),
      workOf: (block) =>
        estimateLayoutWork(trace.tokens.text.slice(block * blockSize, (block + 1) * blockSize)),
    },
    measuredFor: `${trace.request?.requestId} ${folded} ${hiddenBefore > 0}`,
  });
  const { first, last, before, after, look, show } = blocks;
  const isWhole = count <= drawnWhole;
  const isDrawn = (index: number) => isWhole || (index >= first * blockSize && index < last * blockSize);
  /** Whether the selected token has to be scrolled to, once it is drawn. */
  const reveals = useRef(false);
  const reveal = () => {
    reveals.current = selected !== null;
    if (selected !== null) show(Math.floor(selected / blockSize));
  };

  useEffect(() => setFollowing(trace.finished === null), [trace]);
  /** Height of the scrolled content in px, at the last scroll. */
  const height = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version or new heights may have made the text longer
  useLayoutEffect(() => {
    if (!running || !following || !box.current) return;
    height.current = box.current.scrollHeight;
    box.current.scrollTop = height.current;
  }, [version, running, following, before, after]);
  // Folding closes the removed text that is open because its token is selected: the sign of the fold is selected instead.
  // biome-ignore lint/correctness/useExhaustiveDependencies: later choices open folded text
  useEffect(() => {
    const span = folded && selected !== null && trace.spans[trace.tokens.removedBy[selected] ?? noIndex];
    if (span) onSelect(selectToken(span.removed[0] ?? 0));
  }, [folded]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection is scrolled to
  useLayoutEffect(reveal, [selected]);
  useLayoutEffect(() => {
    const cell =
      reveals.current && selected !== null ? list.current?.querySelector(`#${cellId(selected)}`) : null;
    if (!cell) return;
    reveals.current = false;
    scrollCellIntoView(cell, box.current, list.current);
  });

  const onScroll = () => {
    renderInThisFrame(look);
    const element = box.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < followWithin;
    // If the height of the text changed, the browser scrolled, not the user.
    if (isAtEnd || element.scrollHeight === height.current) setFollowing(isAtEnd);
    height.current = element.scrollHeight;
  };
  const onMouseDown = (event: MouseEvent) => {
    if (!event.shiftKey) return;
    // Otherwise the browser would select the text up to here and paint its own colours over the marks.
    event.preventDefault();
    list.current?.focus({ preventScroll: true });
  };
  const onClick = (event: MouseEvent) => {
    const cell = (event.target as Element).closest<HTMLElement>("[data-index]");
    if (!cell) return;
    onSelect(selectionAfterClick(selection, Number(cell.dataset.index), event.shiftKey));
    setInspecting(true);
    requestAnimationFrame(() => {
      cell.scrollIntoView({ block: "nearest" });
      stepBelow(box.current)?.scrollIntoView({ block: "nearest" });
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = targetOfKey(event, selected, count, list.current);
    if (next === null) return;
    event.preventDefault();
    setInspecting(true);
    if (next === selected) reveal();
    else onSelect(selectionAfterClick(selection, next, event.shiftKey));
  };
  const className = [
    "ribbon",
    shade && "ribbon-shaded",
    folded && "ribbon-folded",
    hidesSame && "ribbon-same-hidden",
    hiddenBefore > 0 && "ribbon-reasoning-folded",
  ]
    .filter(Boolean)
    .join(" ");
  const tied = tiedSpan(trace, selected);
  const caret = running && <span className="caret" aria-hidden="true" />;
  const chunks = (from: number, to: number) =>
    Array.from({ length: Math.ceil((to - from) / cellsPerChunk) }, (_, chunk) => {
      const start = from + chunk * cellsPerChunk;
      const end = start + cellsPerChunk;
      const isHere = selected !== null && selected >= start && selected < end;
      const range = selection && overlap(rangeOf(selection), { first: start, end });
      return (
        <RibbonChunk
          key={start}
          trace={trace}
          start={start}
          revision={chunkRevision(trace, start)}
          cursor={isHere ? selected : null}
          rangeFirst={range?.first ?? noIndex}
          rangeEnd={range?.end ?? noIndex}
          tied={tied !== null && reaches(trace, tied, start) ? tied : null}
          shade={shade}
          showsSame={!hidesSame}
          marks={marks?.get(start)}
          reasoningEnd={reasoning && reasoning.end > start ? reasoning.end : 0}
        />
      );
    });
  return (
    <div className={isInspecting ? "ribbon-frame ribbon-inspecting" : "ribbon-frame"}>
      <div ref={box} className="ribbon-scroll" onScroll={onScroll}>
        <PromptLine trace={trace} />
        {reasoning?.line}
        <div
          ref={list}
          id="ribbon"
          role="listbox"
          aria-label="Tokens"
          translate="no"
          aria-orientation="horizontal"
          aria-multiselectable="true"
          aria-activedescendant={selected !== null && isDrawn(selected) ? cellId(selected) : undefined}
          tabIndex={0}
          className={className}
          onMouseDown={onMouseDown}
          onClick={onClick}
          onKeyDown={onKeyDown}
        >
          {isWhole ? (
            <>
              {chunks(0, count)}
              {caret}
            </>
          ) : (
            <>
              <div role="none" style={{ height: before }} />
              {blockNumbers(first, last).map((block) => (
                <div key={block} role="none" data-block={block}>
                  {chunks(block * blockSize, Math.min(count, (block + 1) * blockSize))}
                  {(block + 1) * blockSize >= count && caret}
                </div>
              ))}
              <div role="none" style={{ height: after }} />
            </>
          )}
        </div>
        {below}
      </div>
      {running && !following && (
        <button
          type="button"
          className="button button-normal ribbon-newest"
          onClick={() => setFollowing(true)}
        >
          <IconShape path={chevronDownPath} />
          Newest
        </button>
      )}
    </div>
  );
}

const blockTokens = (block: number) => ({ first: block * blockSize, end: (block + 1) * blockSize });

function blockNumbers(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first) }, (_, place) => first + place);
}

/** The removed span that the selected token belongs to or replaces. */
function tiedSpan(trace: TraceModel, selected: number | null): number | null {
  if (selected === null) return null;
  const removedBy = trace.tokens.removedBy[selected] ?? -1;
  const replaces = trace.tokens.replaces[selected] ?? -1;
  if (removedBy >= 0) return removedBy;
  return replaces >= 0 ? replaces : null;
}

/** Whether tokens of a removed span, or of its replacement, may be in the chunk at `start`. */
function reaches(trace: TraceModel, number: number, start: number): boolean {
  const span = trace.spans[number];
  const first = span?.removed[0] ?? 0;
  const last = span?.replacedBy.at(-1) ?? span?.removed.at(-1) ?? first;
  return first < start + cellsPerChunk && last >= start;
}

function targetOfKey(
  event: KeyboardEvent<HTMLElement>,
  selected: number | null,
  count: number,
  list: HTMLElement | null,
): number | null {
  const move = findTextMove(event);
  if (count === 0 || move === null) return null;
  const at = selected ?? -1;
  const clamp = (index: number) => Math.max(0, Math.min(count - 1, index));
  const targets: Readonly<Record<TextMove, () => number>> = {
    next: () => clamp(at + 1),
    previous: () => clamp(at - 1),
    first: () => 0,
    last: () => count - 1,
    below: () => lineNeighbour(list, clamp(at), 1),
    above: () => lineNeighbour(list, clamp(at), -1),
  };
  return targets[move]();
}

/** The drawn token that is horizontally nearest on the line above or below. Lines are taken from the browser's layout. */
function lineNeighbour(list: HTMLElement | null, from: number, direction: 1 | -1): number {
  const cells = [...(list?.querySelectorAll<HTMLElement>("[data-index]") ?? [])];
  const at = cells.findIndex(({ dataset }) => Number(dataset.index) === from);
  const start = cells[at]?.getBoundingClientRect();
  if (!start) return from;
  const middle = start.left + start.width / 2;
  let line: number | null = null;
  let best = from;
  let distance = Number.POSITIVE_INFINITY;
  for (let place = at + direction; place >= 0 && place < cells.length; place += direction) {
    const rectangle = cells[place]?.getBoundingClientRect();
    if (!rectangle || Math.abs(rectangle.bottom - start.bottom) < 8 || rectangle.width === 0) continue;
    line ??= rectangle.bottom;
    if (Math.abs(rectangle.bottom - line) > 8) break;
    const away = Math.abs(rectangle.left + rectangle.width / 2 - middle);
    if (away < distance) {
      distance = away;
      best = Number(cells[place]?.dataset.index);
    }
  }
  return best;
}

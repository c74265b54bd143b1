/**
 * Chooses the blocks of a long text that are drawn: those in view and near it. The text stays in place while heights
 * become known.
 */
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type BlockEstimator, type BlockRange, blocksInView, createBlockHeights } from "./block-heights.ts";

interface BlockWindowOptions {
  /** The box that scrolls, and the text inside the box. Drawn blocks have the attribute `data-block`. */
  readonly box: RefObject<HTMLElement | null>;
  readonly text: RefObject<HTMLElement | null>;
  /** Number of blocks; 0 if the text is drawn whole. */
  readonly count: number;
  readonly blocks: BlockEstimator;
  /** When this value changes, all measured heights are dropped. */
  readonly measuredFor: string;
}

export interface BlockWindow extends BlockRange {
  /** Heights in px of the blocks above and below the drawn ones. */
  readonly before: number;
  readonly after: number;
  /** Must be called after the box was scrolled. */
  readonly look: () => void;
  /** Scrolls to a block if it is not drawn. Returns whether it scrolled. */
  readonly show: (block: number) => boolean;
}

/** The view in px that is assumed before the first measurement. */
const guessedView = { top: 0, height: 480 };

export function useBlockWindow({ box, text, count, blocks, measuredFor }: BlockWindowOptions): BlockWindow {
  const newest = useRef(blocks);
  newest.current = blocks;
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights that were measured for another value are invalid
  const known = useMemo(
    () =>
      createBlockHeights({
        isEmpty: (block) => newest.current.isEmpty(block),
        workOf: (block) => newest.current.workOf(block),
      }),
    [measuredFor],
  );
  const [shown, setShown] = useState<{ readonly of: typeof known; readonly range: BlockRange } | null>(null);
  const range = shown?.of === known ? shown.range : blocksInView(known, count, guessedView);
  const setRange = useCallback(
    (next: BlockRange) =>
      setShown((shown) =>
        shown?.of === known && shown.range.first === next.first && shown.range.last === next.last
          ? shown
          : { of: known, range: next },
      ),
    [known],
  );

  const look = useCallback(() => {
    const view = viewOf(box.current, text.current);
    if (!view || count === 0) return;
    setRange(blocksInView(known, count, view));
  }, [box, text, count, known, setRange]);
  const show = useCallback(
    (block: number) => {
      const scroller = box.current;
      const view = viewOf(box.current, text.current);
      if (!scroller || !view || count === 0 || (block >= range.first && block < range.last)) return false;
      scroller.scrollTop += known.offsetOf(block) - view.top;
      setRange(blocksInView(known, count, { top: known.offsetOf(block), height: view.height }));
      return true;
    },
    [box, text, count, known, range, setRange],
  );

  useLayoutEffect(() => {
    const scroller = box.current;
    const view = viewOf(box.current, text.current);
    if (!scroller || !view || count === 0) return;
    // The block at the top of the view must stay there when the measured heights of blocks above it change.
    const { first } = blocksInView(known, count, { top: view.top + 240, height: 0 });
    const before = known.offsetOf(first);
    if (!measureDrawn(text.current, known)) return;
    const moved = known.offsetOf(first) - before;
    if (view.top > 0 && moved !== 0) scroller.scrollTop += moved;
    look();
  });
  useLayoutEffect(() => {
    look();
    const scroller = box.current;
    if (!scroller) return;
    let width = scroller.clientWidth;
    const sizes = new ResizeObserver(() => {
      if (scroller.clientWidth !== width) known.forget();
      width = scroller.clientWidth;
      look();
    });
    sizes.observe(scroller);
    return () => sizes.disconnect();
  }, [box, known, look]);

  const first = Math.min(range.first, Math.max(0, count - 1));
  const last = Math.min(range.last, count);
  const offset = known.offsetOf(first);
  const below = known.offsetOf(count) - known.offsetOf(last);
  return { first, last, before: offset, after: below, look, show };
}

/** Measures the drawn blocks, and returns whether a height is new. */
function measureDrawn(text: HTMLElement | null, known: ReturnType<typeof createBlockHeights>): boolean {
  let isNews = false;
  for (const element of text?.querySelectorAll<HTMLElement>("[data-block]") ?? []) {
    if (known.measure(Number(element.dataset.block), element.offsetHeight)) isNews = true;
  }
  return isNews;
}

/** How much of the text is above the view, and how high the view is, in px. */
function viewOf(box: HTMLElement | null, text: HTMLElement | null) {
  if (!box || !text) return null;
  const top = box.getBoundingClientRect().top - text.getBoundingClientRect().top;
  return { top, height: box.clientHeight };
}

/** Which blocks of a long text are drawn: those in view and near it. The text stays where it is while heights become known. */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { type BlockHeights, type BlockRange, blocksInView, createBlockHeights } from "./block-heights.ts";

interface BlockWindowOptions {
  /** The box that scrolls, and the text in it, whose drawn blocks have `data-block`. */
  readonly box: RefObject<HTMLElement | null>;
  readonly text: RefObject<HTMLElement | null>;
  /** Number of blocks; 0 where the text is drawn whole. */
  readonly count: number;
  readonly isEmpty: (block: number) => boolean;
  /** What is measured holds as long as this is the same. */
  readonly measuredFor: string;
}

export interface BlockWindow extends BlockRange {
  /** Px that the blocks above and below take. */
  readonly before: number;
  readonly after: number;
  /** To be called when the box was scrolled. */
  readonly look: () => void;
  /** Scrolls to a block that is not drawn; answers whether it had to. */
  readonly show: (block: number) => boolean;
}

export function useBlockWindow({ box, text, count, isEmpty, measuredFor }: BlockWindowOptions): BlockWindow {
  const empty = useRef(isEmpty);
  empty.current = isEmpty;
  const heights = useRef<BlockHeights>(null);
  heights.current ??= createBlockHeights((block) => empty.current(block));
  const known = heights.current;
  const [range, setRange] = useState<BlockRange>({ first: 0, last: 8 });

  const look = useCallback(() => {
    const view = viewOf(box.current, text.current);
    if (!view || count === 0) return;
    const next = blocksInView(known, count, view);
    setRange((range) => (range.first === next.first && range.last === next.last ? range : next));
  }, [box, text, count, known]);
  const show = useCallback(
    (block: number) => {
      const [scroller, view] = [box.current, viewOf(box.current, text.current)];
      if (!scroller || !view || count === 0 || (block >= range.first && block < range.last)) return false;
      scroller.scrollTop += known.offsetOf(block) - view.top;
      setRange(blocksInView(known, count, { top: known.offsetOf(block), height: view.height }));
      return true;
    },
    [box, text, count, known, range],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured before does not hold any more
  useLayoutEffect(() => known.forget(), [known, measuredFor]);
  useLayoutEffect(() => {
    const [scroller, view] = [box.current, viewOf(box.current, text.current)];
    if (!scroller || !view || count === 0) return;
    // The block at the top of the view stays there, whatever is found out about the heights of those above it.
    const { first } = blocksInView(known, count, { top: view.top + 240, height: 0 });
    const before = known.offsetOf(first);
    let isNews = false;
    for (const element of text.current?.querySelectorAll<HTMLElement>("[data-block]") ?? []) {
      if (known.measure(Number(element.dataset.block), element.offsetHeight)) isNews = true;
    }
    if (!isNews) return;
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

/** How much of the text is above the view, and how high the view is, in px. */
function viewOf(box: HTMLElement | null, text: HTMLElement | null) {
  if (!box || !text) return null;
  const top = box.getBoundingClientRect().top - text.getBoundingClientRect().top;
  return { top, height: box.clientHeight };
}

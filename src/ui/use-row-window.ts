/** Which rows of a long list are drawn: those in view and a few around them. All rows are of one height. */
import { type RefObject, useLayoutEffect, useState } from "react";

interface RowWindow {
  /** The rows to draw: from `first` to before `last`. */
  readonly first: number;
  readonly last: number;
  /** Heights in px of the room above and below them. */
  readonly before: number;
  readonly after: number;
}

export interface View {
  readonly top: number;
  readonly height: number;
}

/** Rows that are drawn above and below those in view. */
const overscan = 8;
/** Firefox draws nothing below some 17 million px. A higher list is scrolled through in larger steps. */
const highest = 10_000_000;

export function rowWindow({ top, height }: View, count: number, rowHeight: number): RowWindow {
  const whole = count * rowHeight;
  const shown = Math.min(whole, highest);
  const stretch = whole > shown ? (whole - height) / (shown - height) : 1;
  const place = Math.max(0, Math.min(top, shown - height)) * stretch;
  const first = Math.max(0, Math.floor(place / rowHeight) - overscan);
  const last = Math.min(count, Math.ceil((place + height) / rowHeight) + overscan);
  const before = Math.max(0, place / stretch - (place - first * rowHeight));
  return { first, last, before, after: Math.max(0, shown - before - (last - first) * rowHeight) };
}

/** The rows to draw in a box that scrolls, and what to call when it did. */
export function useRowWindow(
  box: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): RowWindow & { readonly measure: () => void } {
  const [view, setView] = useState<View>({ top: 0, height: 400 });
  const measure = () => {
    const element = box.current;
    if (element) setView({ top: element.scrollTop, height: element.clientHeight });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const sizes = new ResizeObserver(() => setView({ top: element.scrollTop, height: element.clientHeight }));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [box]);
  return { ...rowWindow(view, count, rowHeight), measure };
}

/** Chooses the rows of a long list that are drawn: those in view and a few around them. All rows have the same height. */
import { type RefObject, useLayoutEffect, useState } from "react";
import { renderInThisFrame } from "./in-this-frame.ts";

interface RowWindow {
  /** The rows to draw: from `first` to before `last`. */
  readonly first: number;
  readonly last: number;
  /** Heights in px of the room above and below the drawn rows. */
  readonly before: number;
  readonly after: number;
}

export interface ScrollView {
  readonly top: number;
  readonly height: number;
}

/**
 * Number of rows that are drawn above and below the rows in view. Few are enough, because a scrolled list is drawn again in
 * the same frame.
 */
const overscan = 3;
/**
 * The greatest height of the scrolled content in px: Firefox draws nothing below about 17 million px. A higher list scrolls in
 * larger steps.
 */
const highest = 10_000_000;

/** Px by which the rows move for each px that a box of this height scrolls. */
function stretchOf(height: number, count: number, rowHeight: number): number {
  const whole = count * rowHeight;
  return whole > highest ? (whole - height) / (highest - height) : 1;
}

/** The scroll position at which a row is visible: unchanged if it is visible already, otherwise with the row in the middle. */
export function scrollTopShowingRow(
  { top, height }: ScrollView,
  row: number,
  count: number,
  rowHeight: number,
): number {
  const stretch = stretchOf(height, count, rowHeight);
  const place = row * rowHeight;
  // The heading sticks to the upper edge and is as high as a row.
  const isSeen = place >= top * stretch && place + 2 * rowHeight <= top * stretch + height;
  return isSeen ? top : Math.max(0, (place - height / 2) / stretch);
}

export function rowWindow({ top, height }: ScrollView, count: number, rowHeight: number): RowWindow {
  const whole = count * rowHeight;
  const shown = Math.min(whole, highest);
  const stretch = stretchOf(height, count, rowHeight);
  const place = Math.max(0, Math.min(top, shown - height)) * stretch;
  const first = Math.max(0, Math.floor(place / rowHeight) - overscan);
  const last = Math.min(count, Math.ceil((place + height) / rowHeight) + overscan);
  const before = Math.max(0, place / stretch - (place - first * rowHeight));
  return { first, last, before, after: Math.max(0, shown - before - (last - first) * rowHeight) };
}

/** The rows to draw in a box that scrolls, and a function to call when it has scrolled. */
export function useRowWindow(
  box: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): RowWindow & { readonly measure: () => void } {
  const [view, setView] = useState<ScrollView>({ top: 0, height: 400 });
  const measure = () => {
    const element = box.current;
    if (element) renderInThisFrame(() => setView({ top: element.scrollTop, height: element.clientHeight }));
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

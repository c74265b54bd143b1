/** The keys of a view over the tokens of a run: move the selection, zoom and pan. The overview and the tracks share them. */
import type { KeyboardEvent } from "react";
import { type AxisLimits, type AxisView, panned, wholeAxisView, zoomed, zoomedTo } from "./axis-view.ts";

export interface AxisKeyTarget {
  readonly view: AxisView;
  readonly limits: AxisLimits;
  /** Number of tokens, and index of the token at the selection's cursor. */
  readonly count: number;
  readonly cursor: number | null;
  /** The place of the cursor on the axis, and the range of the whole selection. */
  readonly cursorPlace: AxisView | null;
  readonly selectionPlace: AxisView | null;
  readonly select: (index: number, extend: boolean) => void;
  readonly setView: (view: AxisView) => void;
}

/** The factor by which a key zooms, and the share of the view by which a key pans. */
const keyZoom = 1.5;
const keyPan = 0.2;

const sameKeys: Readonly<Record<string, string>> = { "=": "+", w: "+", _: "-", s: "-" };

type KeyPress = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "preventDefault">;

export function actOnAxisKey(event: KeyPress, axis: AxisKeyTarget): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { view, limits, count, cursor, cursorPlace, selectionPlace, select, setView } = axis;
  const size = view.to - view.from;
  const isSeen = cursorPlace !== null && cursorPlace.from >= view.from && cursorPlace.to <= view.to;
  const middle = isSeen ? cursorPlace : view;
  const at = (middle.from + middle.to) / 2;
  const moves: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => select(Math.max(0, (cursor ?? 1) - 1), event.shiftKey),
    ArrowRight: () => select(Math.min(count - 1, (cursor ?? -1) + 1), event.shiftKey),
    Home: () => select(0, event.shiftKey),
    End: () => select(count - 1, event.shiftKey),
    "+": () => setView(zoomed(view, 1 / keyZoom, at, limits)),
    "-": () => setView(zoomed(view, keyZoom, at, limits)),
    a: () => setView(panned(view, -keyPan * size, limits)),
    d: () => setView(panned(view, keyPan * size, limits)),
    "0": () => setView(wholeAxisView(limits)),
    z: () => selectionPlace && setView(zoomedTo(selectionPlace, limits)),
  };
  const move = moves[sameKeys[event.key] ?? event.key];
  if (!move) return;
  event.preventDefault();
  move();
}

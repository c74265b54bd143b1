/**
 * Gestures of wheel, mouse and fingers in a view over an axis. A wheel with Ctrl or a pinch zooms at its position; a
 * sideways wheel, a drag of the ruler or of the middle button, and one finger pan. A mouse drag elsewhere selects, a
 * click or a tap chooses a token.
 */
import { type PointerEvent, type RefObject, useEffect, useRef } from "react";

export interface AxisGestures {
  /** Shows a range of `factor` times the length; the point at `x` px stays at its place. */
  zoom(factor: number, x: number): void;
  /** Moves the content of the view by `px` to the left. */
  pan(px: number): void;
  /** Selects the token at `x` px; `extend` extends the selection up to this token. */
  choose(x: number, extend: boolean): void;
  /** Height in px of the ruler at the top, where a drag pans. */
  readonly rulerHeight: number;
  /** Whether a drag with one finger selects instead of panning, because there is nothing to pan. */
  readonly fingerSelects: boolean;
}

/** Px. If a finger moved less, the touch was a tap. */
const tapWithin = 6;

interface Pointer {
  x: number;
  readonly startX: number;
  moved: boolean;
}

type Drag = "select" | "pan" | "touch";

export function useAxisGestures(target: RefObject<HTMLElement | null>, gestures: AxisGestures) {
  const latest = useRef(gestures);
  latest.current = gestures;
  useEffect(() => {
    const element = target.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      const isZoom = event.ctrlKey || event.metaKey;
      const across = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX;
      if (!isZoom && Math.abs(across) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const x = event.clientX - element.getBoundingClientRect().left;
      // One notch of a wheel is 100 px; an event of a trackpad pinch is a few px.
      if (isZoom) latest.current.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY * lines)) * 0.006), x);
      else latest.current.pan(across * lines);
    };
    // Added by hand, because React's wheel listeners are passive and cannot prevent the page from zooming.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [target]);

  const pointers = useRef(new Map<number, Pointer>());
  const drag = useRef<Drag | null>(null);
  const xOf = (event: PointerEvent<HTMLElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button > 1) return;
    const x = xOf(event);
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
    event.currentTarget.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, { x, startX: x, moved: false });
    if (event.pointerType === "touch") drag.current = "touch";
    else if (event.button === 1 || y < gestures.rulerHeight) drag.current = "pan";
    else {
      drag.current = "select";
      gestures.choose(x, event.shiftKey);
    }
    // Otherwise the middle button would start scrolling.
    if (event.button === 1) event.preventDefault();
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const pointer = pointers.current.get(event.pointerId);
    if (!pointer) return;
    const x = xOf(event);
    const by = x - pointer.x;
    const hadMoved = pointer.moved;
    if (Math.abs(x - pointer.startX) > tapWithin) pointer.moved = true;
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    if (drag.current === "select") {
      if (by !== 0) gestures.choose(x, true);
    } else if (other) {
      const before = Math.abs(pointer.x - other.x);
      const after = Math.abs(x - other.x);
      gestures.pan(-by / 2);
      if (before > 8 && after > 8) gestures.zoom(before / after, (x + other.x) / 2);
      other.moved = true;
    } else if (drag.current === "touch" && gestures.fingerSelects) {
      if (pointer.moved && !hadMoved) gestures.choose(pointer.startX, event.shiftKey);
      if (pointer.moved) gestures.choose(x, true);
    } else if (drag.current === "pan" || pointer.moved) gestures.pan(-by);
    pointer.x = x;
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const pointer = pointers.current.get(event.pointerId);
    pointers.current.delete(event.pointerId);
    const isTap = pointer && !pointer.moved && event.type === "pointerup";
    if (isTap && drag.current === "touch") gestures.choose(pointer.x, event.shiftKey);
    if (pointers.current.size === 0) drag.current = null;
  };
  const isIdle = () => pointers.current.size === 0;
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, isIdle };
}

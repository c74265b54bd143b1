/** Drags the handle of a range on an axis: the point under the pointer stays under the pointer. */
import { type PointerEvent, useRef } from "react";

interface RangeDragOptions {
  /** The value of the axis at an x position in the window, in px. */
  readonly valueAt: (clientX: number) => number;
  /** The middle of the dragged range. */
  readonly middle: number;
  readonly onMiddle: (middle: number) => void;
}

export function useRangeDrag({ valueAt, middle, onMiddle }: RangeDragOptions) {
  /** Distance from the pointer to the middle of the range; null while nothing is dragged. */
  const offset = useRef<number | null>(null);
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.stopPropagation();
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      offset.current = middle - valueAt(event.clientX);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (offset.current === null) return;
      event.stopPropagation();
      onMiddle(valueAt(event.clientX) + offset.current);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      if (offset.current !== null) event.stopPropagation();
      offset.current = null;
    },
    onPointerCancel() {
      offset.current = null;
    },
  };
}

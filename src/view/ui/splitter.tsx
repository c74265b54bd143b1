/** A bar between two panes that pointer or arrow keys move. */
import type { KeyboardEvent, PointerEvent } from "react";
import "./splitter.css";

interface SplitterProps {
  readonly orientation: "vertical" | "horizontal";
  readonly label: string;
  /** Percent of the parent that the pane before the bar takes. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

export function Splitter({ orientation, label, value, min, max, onChange }: SplitterProps) {
  const set = (next: number) => onChange(Math.round(Math.max(min, Math.min(max, next)) * 10) / 10);
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (!box) return;
    set(
      orientation === "vertical"
        ? ((event.clientX - box.left) / box.width) * 100
        : ((event.clientY - box.top) / box.height) * 100,
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2, Home: -100, End: 100 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(value + by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <div
      role="separator"
      aria-orientation={orientation}
      aria-label={label}
      aria-valuenow={Math.round(value)}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className={`splitter splitter-${orientation}`}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}

/** A button that opens a floating panel below it. Uses a native popover, which Escape or a click outside closes. */
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import "./popover.css";

interface PopoverProps {
  /** The content of the button. */
  readonly trigger: ReactNode;
  /** Name of the panel. */
  readonly label: string;
  /** Name of the button if its content is not text. */
  readonly buttonLabel?: string;
  readonly className?: string;
  readonly disabled?: boolean;
  readonly align?: "start" | "end";
  /** Content of the panel, rendered only while it is open; `close` also restores the focus. */
  readonly children: (close: () => void) => ReactNode;
}

export function Popover({
  trigger,
  label,
  buttonLabel,
  className = "",
  disabled = false,
  align = "start",
  children,
}: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (!open) return undefined;
    const placed = () => {
      if (button.current && panel.current) place(button.current, panel.current, align);
    };
    placed();
    // If the window is made smaller, the panel must stay inside.
    window.addEventListener("resize", placed);
    return () => window.removeEventListener("resize", placed);
  }, [open, align]);
  const close = () => {
    panel.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        className={className}
        disabled={disabled}
        popoverTarget={id}
        aria-expanded={open}
        aria-label={buttonLabel}
        title={buttonLabel}
        aria-haspopup="dialog"
      >
        {trigger}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className="popover"
        onToggle={(event) => {
          if (event.target === panel.current) setOpen(event.newState === "open");
        }}
      >
        {open && children(close)}
      </div>
    </>
  );
}

/** Places the panel below its button, at least 8 px inside the window. */
function place(button: HTMLElement, panel: HTMLElement, align: "start" | "end") {
  const anchor = button.getBoundingClientRect();
  const width = panel.offsetWidth;
  const wanted = align === "start" ? anchor.left : anchor.right - width;
  const left = Math.max(8, Math.min(wanted, window.innerWidth - width - 8));
  panel.style.left = `${left}px`;
  panel.style.top = `${anchor.bottom + 6}px`;
  panel.style.maxHeight = `${window.innerHeight - anchor.bottom - 16}px`;
}

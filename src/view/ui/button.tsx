/** Buttons: one look per weight. A button with only an icon always has a name. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import "./button.css";
import "./button-kinds.css";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly weight?: "primary" | "normal" | "quiet" | "danger";
  readonly icon?: IconName;
  readonly keys?: string;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ weight = "normal", icon, keys, children, className = "", ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={`button button-${weight} ${className}`}>
      {icon && <Icon name={icon} />}
      {children}
      {keys && (
        <span className="button-keys" aria-hidden="true">
          {keys}
        </span>
      )}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** Read by screen readers, and shown on hover. */
  readonly label: string;
  /** Shown beside the icon if there is room; the style sheet decides (`.button-word`). */
  readonly word?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, word, className = "", ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`button button-quiet button-icon ${className}`}
    >
      <Icon name={icon} />
      {word !== undefined && <span className="button-word">{word}</span>}
    </button>
  );
}

/** A single icon from its path, for pages that must stay small; `icon.tsx` has all icons. */

/** An arrow head that points down. */
export const chevronDownPath = "M4.5 6.5L8 10l3.5-3.5";

interface IconShapeProps {
  readonly path: string;
  readonly isSolid?: boolean;
  /** Width and height in px. */
  readonly size?: number;
}

export function IconShape({ path, isSolid = false, size = 16 }: IconShapeProps) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={isSolid ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={path} />
    </svg>
  );
}

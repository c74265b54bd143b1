/** Brings a word of the ribbon into view. */

/**
 * The page around the box is scrolled only while the text has the focus: an embedding page must not jump while its reader is
 * elsewhere.
 */
export function scrollCellIntoView(cell: Element, box: HTMLElement | null, list: HTMLElement | null): void {
  const root = cell.getRootNode();
  const hasFocus = (root instanceof ShadowRoot || root instanceof Document) && root.activeElement === list;
  if (hasFocus) cell.scrollIntoView({ block: "nearest" });
  else if (box) box.scrollTop += scrollBy(cell.getBoundingClientRect(), box.getBoundingClientRect());
}

/** The same px as `scroll-margin` in ribbon.css, with room for a counterfactual above the word. */
const margins = { above: 28, below: 16 };

type Edges = Pick<DOMRect, "top" | "bottom">;

function scrollBy(cell: Edges, box: Edges): number {
  const above = cell.top - margins.above - box.top;
  const below = cell.bottom + margins.below - box.bottom;
  return above < 0 ? above : Math.min(Math.max(0, below), above);
}

/** The page's colours for drawing on a canvas, which cannot use CSS custom properties. */

const names = {
  pane: "--pane",
  ink: "--ink",
  ink2: "--ink-2",
  ink3: "--ink-3",
  line: "--line",
  lineStrong: "--line-strong",
  hover: "--hover",
  selected: "--selected",
  accent: "--accent",
  danger: "--danger",
  forced: "--kind-forced",
  forcedTint: "--kind-forced-tint",
  reinjected: "--kind-reinjected",
  reinjectedTint: "--kind-reinjected-tint",
  adjusted: "--kind-adjusted",
  adjustedTint: "--kind-adjusted-tint",
  removed: "--kind-removed",
  removedTint: "--kind-removed-tint",
  steered: "--kind-steered",
  steeredTint: "--kind-steered-tint",
} as const;

export type ColourName = keyof typeof names;
export type Palette = Readonly<Record<ColourName, string>>;

/** The palette for forced colours: only the user's few colours are used, so kinds differ by shape and text. */
const forcedColours: Palette = {
  pane: "Canvas",
  ink: "CanvasText",
  ink2: "CanvasText",
  ink3: "CanvasText",
  line: "GrayText",
  lineStrong: "CanvasText",
  hover: "Canvas",
  selected: "Highlight",
  accent: "Highlight",
  danger: "CanvasText",
  forced: "CanvasText",
  forcedTint: "Canvas",
  reinjected: "CanvasText",
  reinjectedTint: "Canvas",
  adjusted: "CanvasText",
  adjustedTint: "Canvas",
  removed: "CanvasText",
  removedTint: "Canvas",
  steered: "CanvasText",
  steeredTint: "Canvas",
};

/** The current colours at an element. */
export function paletteAt(element: HTMLElement): Palette {
  if (matchMedia("(forced-colors: active)").matches) return forcedColours;
  const before = element.style.outlineColor;
  const found = Object.entries(names).map(([name, property]) => {
    // `light-dark()` is resolved only in a property that takes a colour, so the colour is set there and read back.
    element.style.outlineColor = `var(${property})`;
    return [name, getComputedStyle(element).outlineColor];
  });
  element.style.outlineColor = before;
  return Object.fromEntries(found) as Palette;
}

/**
 * Keeps a canvas as large as its place on the page. The result changes when size or colours change and the canvas must be
 * drawn again.
 */
import { type RefObject, useEffect, useMemo, useState } from "react";
import { type Palette, paletteAt } from "./palette.ts";

export interface CanvasSizeAndPalette {
  /** Size in px of the page. */
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
}

/** Null until the canvas is on the page and has a size. */
export function useCanvasSizeAndPalette(
  canvas: RefObject<HTMLCanvasElement | null>,
): CanvasSizeAndPalette | null {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [palette, setPalette] = useState<Palette | null>(null);
  useEffect(() => {
    const element = canvas.current;
    const parent = element?.parentElement;
    if (!element || !parent) return;
    const sizes = new ResizeObserver(([entry]) => {
      const box = entry?.contentRect;
      if (box) setSize({ width: box.width, height: box.height });
    });
    sizes.observe(element);
    const look = () => setPalette(paletteAt(parent));
    look();
    const themes = new MutationObserver(look);
    for (const place of placesOfTheme(element))
      themes.observe(place, { attributeFilter: ["class", "data-theme", "style", "theme"] });
    const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) =>
      matchMedia(query),
    );
    for (const query of queries) query.addEventListener("change", look);
    return () => {
      sizes.disconnect();
      themes.disconnect();
      for (const query of queries) query.removeEventListener("change", look);
    };
  }, [canvas]);
  return useMemo(
    () => (palette && size.width > 0 && size.height > 0 ? { ...size, palette } : null),
    [size, palette],
  );
}

/** The elements whose attributes may change the colours: the page's root and body, and the host of a shadow root. */
function placesOfTheme(element: Element): readonly Element[] {
  const root = element.getRootNode();
  return [document.documentElement, document.body, ...(root instanceof ShadowRoot ? [root.host] : [])];
}

/**
 * The drawing context of the canvas, cleared and scaled for the screen's resolution, with px of the page as its unit. Null if
 * there is none.
 */
export function prepareCanvasContext(
  canvas: HTMLCanvasElement,
  { width, height }: CanvasSizeAndPalette,
): CanvasRenderingContext2D | null {
  const context = canvas.getContext("2d");
  if (!context) return null;
  const scale = devicePixelRatio;
  const across = Math.round(width * scale);
  const down = Math.round(height * scale);
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

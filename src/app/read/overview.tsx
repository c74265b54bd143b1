/** The whole run at a glance: how surprising each token was, and where mods acted. Repeats the ribbon, so it is hidden from screen readers. */
import { type MouseEvent, useEffect, useRef, useState } from "react";
import { overviewColumns, overviewMark } from "../../trace/overview-columns.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import "./overview.css";

interface OverviewProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
}

/** Height in px of the band of marks. The bars of surprisal stand below the band, and reach it at 12 bits. */
const markBand = 10;
const fullBits = 12;

/** The most px that one token's column may take, so that a run of a few tokens does not fill the strip with wide bars. */
const widestToken = 24;

export function Overview({ trace, version, running, selected, onSelect }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0, scheme: 0 });
  useEffect(() => watchSize(canvas.current, setSize), []);
  const count = trace.tokens.text.length;
  // While the run goes on, the strip is scaled to `maxTokens`, so that what is drawn stays in its place.
  const longest = Math.max(count, running ? (trace.request?.maxTokens ?? 0) : 0, 1);
  const domain = Math.max(longest, size.width / widestToken);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  useEffect(() => {
    if (canvas.current && size.width > 0) draw(canvas.current, trace, size, domain);
  }, [trace, version, size, domain]);
  const onClick = (event: MouseEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * domain);
    if (index < count) onSelect(index);
  };
  return (
    <div className="overview" aria-hidden="true">
      <div className="overview-strip">
        <canvas ref={canvas} onClick={onClick} />
        {selected !== null && selected < count && (
          <i className="overview-cursor" style={{ left: `${((selected + 0.5) / domain) * 100}%` }} />
        )}
      </div>
    </div>
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
  /** Raised when the colour scheme changes, so that the strip is drawn anew. */
  readonly scheme: number;
}

function watchSize(canvas: HTMLCanvasElement | null, set: (update: (size: Size) => Size) => void) {
  if (!canvas) return;
  const sizes = new ResizeObserver(([entry]) => {
    const box = entry?.contentRect;
    if (box) set((size) => ({ ...size, width: box.width, height: box.height }));
  });
  sizes.observe(canvas);
  const again = () => set((size) => ({ ...size, scheme: size.scheme + 1 }));
  const themes = new MutationObserver(again);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", again);
  return () => {
    sizes.disconnect();
    themes.disconnect();
    scheme.removeEventListener("change", again);
  };
}

function draw(canvas: HTMLCanvasElement, trace: TraceModel, size: Size, domain: number) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const scale = devicePixelRatio;
  canvas.width = Math.round(size.width * scale);
  canvas.height = Math.round(size.height * scale);
  context.scale(scale, scale);
  const { starts, surprisal, marks } = overviewColumns(trace, size.width / 2);
  const colour = colours(canvas);
  const x = (token: number) => (token / domain) * size.width;
  const baseline = 1;
  const barHeight = size.height - markBand - 2 - baseline;
  for (let column = 0; column < marks.length; column += 1) {
    const left = x(starts[column] ?? 0);
    const columnWidth = x(starts[column + 1] ?? 0) - left;
    const width = Math.max(1, columnWidth - (size.width / domain > 3 ? 1 : 0));
    const bits = surprisal[column] ?? Number.NaN;
    const mark = marks[column] ?? 0;
    context.fillStyle = mark & overviewMark.removed ? colour("--line-strong") : colour("--ink-3");
    context.globalAlpha = mark & overviewMark.removed ? 0.45 : 0.8;
    if (!Number.isNaN(bits)) {
      const height = Math.min(1, bits / fullBits) * barHeight;
      context.fillRect(left, size.height - baseline - height, width, height);
    }
    context.globalAlpha = 1;
    drawMarks(context, mark, left, Math.max(1, columnWidth), colour);
  }
  // A line from end to end: a token that the model was sure of has no bar above it.
  context.fillStyle = colour("--line-strong");
  context.fillRect(0, size.height - baseline, x(starts.at(-1) ?? 0), baseline);
}

/**
 * Draws the marks of one column. Each kind of mark has a height and a shape of its own. A mark is as wide as its column, so
 * that a span of tokens is one bar.
 */
function drawMarks(
  context: CanvasRenderingContext2D,
  mark: number,
  left: number,
  width: number,
  colour: (name: string) => string,
) {
  if (mark & overviewMark.forced) {
    context.fillStyle = colour("--kind-forced");
    context.fillRect(left, 0, width, 4);
  }
  if (mark & overviewMark.reinjected) {
    context.fillStyle = colour("--kind-reinjected");
    context.fillRect(left, 0, width, 1.5);
    context.fillRect(left, 3, width, 1.5);
  }
  if (mark & overviewMark.adjusted) {
    context.fillStyle = colour("--kind-adjusted");
    context.beginPath();
    context.moveTo(left + width / 2, 0);
    context.lineTo(left + width / 2 + 2.5, 4);
    context.lineTo(left + width / 2 - 2.5, 4);
    context.fill();
  }
  if (mark & overviewMark.removed) {
    context.fillStyle = colour("--kind-removed");
    context.fillRect(left, 6, width, 2);
  }
}

function colours(canvas: HTMLCanvasElement): (name: string) => string {
  const probe = canvas.parentElement ?? canvas;
  const known = new Map<string, string>();
  return (name) => {
    const seen = known.get(name);
    if (seen) return seen;
    // `light-dark()` is resolved only in a property that takes a colour, so the colour is set there and read back.
    probe.style.outlineColor = `var(${name})`;
    const value = getComputedStyle(probe).outlineColor;
    known.set(name, value);
    return value;
  };
}

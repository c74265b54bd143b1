/** The charts of a run, by Recharts. They draw the result of `chartColumns`, and share one x axis and one cursor. */
import type { ReactNode } from "react";
import {
  Area,
  ComposedChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
  type YAxisProps,
} from "recharts";
import {
  binTokenKinds,
  type ChartMetrics,
  type ChartTokenKind,
  chartTokenKinds,
  type TokenKindBin,
} from "../../../core/trace/model/chart-columns.ts";
import type { TokenRange } from "../../../core/trace/model/selection.ts";
import { formatDuration } from "../../ui/format.ts";
import { type ChartName, modCurveTimes, tokenTickLabel, tokenTicks } from "./chart-labels.ts";

export interface PlotProps {
  readonly columns: readonly ChartMetrics[];
  /** Length of the x axis in tokens. */
  readonly length: number;
  readonly range: TokenRange | null;
  readonly cursor: number | null;
}

/** Left margin of the plot in px; code that maps the pointer to a token needs it. */
export const plotLeftMargin = 60;
export const plotRightMargin = 16;
const plotHeight = 112;

/** A column in the form that Recharts reads: its first token, and a value for each line. */
type Point = Readonly<Record<string, number | readonly [number, number] | null>>;

const area = { isAnimationActive: false, dot: false, activeDot: false, type: "stepAfter" } as const;
const axis = { tick: { fontSize: 12, fill: "var(--ink-3)" }, tickLine: false } as const;

/**
 * Points of a step line: each value begins at its column's first token, and the last value continues to the end of its column.
 */
function pointsOf(columns: readonly ChartMetrics[], valuesOf: (metrics: ChartMetrics) => Point): Point[] {
  const points = columns.map((metrics) => ({ at: metrics.first, ...valuesOf(metrics) }));
  const last = columns.at(-1);
  return last ? [...points, { at: last.end, ...valuesOf(last) }] : points;
}

interface FrameProps extends Omit<PlotProps, "columns"> {
  readonly points: Point[];
  readonly children: ReactNode;
}

function Frame({ points, length, range, cursor, children }: FrameProps) {
  return (
    <ResponsiveContainer width="100%" height={plotHeight}>
      <ComposedChart
        data={points}
        margin={{ top: 6, right: 0, bottom: 0, left: 0 }}
        accessibilityLayer={false}
        tabIndex={-1}
      >
        <XAxis
          {...axis}
          dataKey="at"
          type="number"
          domain={[0, length]}
          allowDataOverflow
          ticks={[...tokenTicks(length)]}
          axisLine={{ stroke: "var(--line-strong)" }}
          height={20}
          interval="preserveStart"
          minTickGap={40}
          tickFormatter={tokenTickLabel}
        />
        {range && (
          <ReferenceArea
            yAxisId="y"
            x1={range.first}
            x2={range.end}
            fill="var(--accent)"
            fillOpacity={0.14}
            stroke="var(--accent)"
            strokeOpacity={0.5}
            zIndex={500}
          />
        )}
        {children}
        {cursor !== null && <ReferenceLine yAxisId="y" x={cursor + 0.5} stroke="var(--ink)" />}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

function LeftAxis(props: YAxisProps) {
  return <YAxis {...axis} yAxisId="y" width={plotLeftMargin} axisLine={false} tickCount={3} {...props} />;
}

/** Leaves room at the right for the last label of the x axis. */
function RightAxis() {
  return <YAxis yAxisId="right" orientation="right" width={plotRightMargin} axisLine={false} tick={false} />;
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/**
 * Prevents line breaks in a label. Recharts breaks labels at spaces if they seem too wide, measured in the fonts of the
 * surrounding page.
 */
const inOneLine = (label: string): string => label.replaceAll(" ", "\u00a0");

function percent(share: number): string {
  return inOneLine(`${Math.round(share * 100)}%`);
}

const shares = { domain: [0, 1], ticks: [0, 0.5, 1], tickFormatter: percent } satisfies YAxisProps;
/** The area between the lower and the upper bound of a value. */
const bounds = {
  stroke: "var(--ink-3)",
  strokeDasharray: "2 2",
  fill: "var(--accent)",
  fillOpacity: 0.14,
} as const;
const line = { stroke: "var(--ink-2)", fill: "var(--ink-3)", fillOpacity: 0.16 } as const;

function ProbabilityPlot({ columns, ...frame }: PlotProps) {
  const points = pointsOf(columns, ({ probability }) => ({ probability }));
  return (
    <Frame points={points} {...frame}>
      <LeftAxis {...shares} />
      <RightAxis />
      <Area {...area} {...line} yAxisId="y" dataKey="probability" />
    </Frame>
  );
}

function EntropyPlot({ columns, ...frame }: PlotProps) {
  const points = pointsOf(columns, ({ entropy, mostEntropy }) => ({
    entropy,
    bounds: entropy === null || mostEntropy === null ? null : [entropy, mostEntropy],
  }));
  const areBounds = columns.some(({ mostEntropy }) => mostEntropy !== null);
  return (
    <Frame points={points} {...frame}>
      <LeftAxis domain={[0, "auto"]} tickFormatter={(bits: number) => inOneLine(`${bits} bits`)} />
      <RightAxis />
      <Area {...area} {...line} yAxisId="y" dataKey="entropy" />
      {areBounds && <Area {...area} {...bounds} yAxisId="y" dataKey="bounds" />}
    </Frame>
  );
}

/**
 * The same fills as the swatches of charts-panel.css: the model dark, the sampler light, mods in the accent, each
 * paler than the one before.
 */
const partFills = [
  { key: "passes", fill: "var(--ink-2)", fillOpacity: 0.75 },
  { key: "sampling", fill: "var(--ink-3)", fillOpacity: 0.4 },
  ...[0.85, 0.6, 0.4, 0.22].map((fillOpacity, mod) => ({
    key: `mod-${mod}`,
    fill: "var(--accent)",
    fillOpacity,
  })),
];

function TimePlot({ columns, ...frame }: PlotProps) {
  const points = pointsOf(columns, (metrics) => ({
    passes: metrics.passesMs,
    sampling: metrics.samplingMs,
    ...Object.fromEntries(modCurveTimes(metrics).map((ms, mod) => [`mod-${mod}`, ms])),
  }));
  const drawn = partFills.filter(({ key }) => points.some((point) => (point[key] ?? null) !== null));
  return (
    <Frame points={points} {...frame}>
      <LeftAxis
        domain={[0, "auto"]}
        tickFormatter={(ms: number) => (ms === 0 ? "0" : inOneLine(formatDuration(ms * 1000)))}
      />
      <RightAxis />
      {drawn.map(({ key, ...fills }) => (
        <Area key={key} {...area} {...fills} yAxisId="y" stackId="time" dataKey={key} stroke="none" />
      ))}
    </Frame>
  );
}

function RatePlot({ columns, ...frame }: PlotProps) {
  const points = pointsOf(columns, ({ tokensPerSecond }) => ({ rate: tokensPerSecond }));
  return (
    <Frame points={points} {...frame}>
      <LeftAxis domain={[0, "auto"]} tickFormatter={grouped} />
      <RightAxis />
      <Area {...area} {...line} yAxisId="y" dataKey="rate" />
    </Frame>
  );
}

/** Each kind has a pattern of its own, so that kinds can be told apart without colour. */
const kindFills: Readonly<Record<ChartTokenKind, string>> = {
  sampled: "var(--sunken)",
  adjusted: "url(#chart-adjusted)",
  forced: "var(--kind-forced)",
  reinjected: "url(#chart-reinjected)",
  moved: "var(--ink-3)",
  asked: "var(--line-strong)",
  removed: "url(#chart-removed)",
};

/** Share of a bar's width that is left free beside the next bar. */
const gap = 0.15;

/** The points of the bars: each bin's values from its first token on, then zeros for the gap before the next bin. */
function barsOf(bins: readonly TokenKindBin[]): Point[] {
  const none = Object.fromEntries(chartTokenKinds.map((kind) => [kind, 0]));
  return bins.flatMap(({ first, end, tokens }) => [
    { at: first, ...tokens },
    { at: end - (end - first) * gap, ...none },
  ]);
}

const patternSize = { width: 4, height: 4, patternUnits: "userSpaceOnUse" } as const;

function KindsPlot({ columns, ...frame }: PlotProps) {
  const points = barsOf(binTokenKinds(columns));
  const shown = chartTokenKinds.filter((kind) => columns.some(({ kinds }) => kinds[kind] > 0));
  // The mods' tokens are stacked from the axis up; the model's own tokens are above them.
  const order = [...shown.filter((kind) => kind !== "sampled"), "sampled" as const];
  return (
    <Frame points={points} {...frame}>
      <LeftAxis domain={[0, "auto"]} allowDecimals={false} tickFormatter={grouped} />
      <RightAxis />
      <defs>
        <pattern id="chart-adjusted" {...patternSize}>
          <rect width="4" height="4" fill="var(--kind-adjusted-tint)" />
          <circle cx="2" cy="2" r="1.2" fill="var(--kind-adjusted)" />
        </pattern>
        <pattern id="chart-reinjected" {...patternSize}>
          <rect width="4" height="4" fill="var(--kind-reinjected-tint)" />
          <rect width="4" height="2" fill="var(--kind-reinjected)" />
        </pattern>
        <pattern id="chart-removed" {...patternSize} patternTransform="rotate(45)">
          <rect width="4" height="4" fill="var(--kind-removed-tint)" />
          <rect width="1.6" height="4" fill="var(--kind-removed)" />
        </pattern>
      </defs>
      {order.map((kind) => (
        <Area
          key={kind}
          {...area}
          yAxisId="y"
          stackId="kinds"
          dataKey={kind}
          stroke="none"
          fill={kindFills[kind]}
          fillOpacity={1}
        />
      ))}
    </Frame>
  );
}

export const plots: Readonly<Record<ChartName, (props: PlotProps) => ReactNode>> = {
  probability: ProbabilityPlot,
  entropy: EntropyPlot,
  time: TimePlot,
  rate: RatePlot,
  kinds: KindsPlot,
};

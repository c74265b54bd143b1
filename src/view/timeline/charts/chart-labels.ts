/** Describes each chart in words, for the selected tokens or the whole run. */
import { formatCount, formatNumber } from "../../../core/base/number-text.ts";
import {
  type ChartMetrics,
  type ChartTokenKind,
  chartTokenKinds,
} from "../../../core/trace/model/chart-columns.ts";
import { kindLabels } from "../../../core/trace/model/kind-labels.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName } from "../../../core/trace/model/trace-view.ts";
import { formatDuration, formatProbability } from "../../ui/format.ts";
import { tickStep } from "../axis-view.ts";

/** One line or area of a chart, as the chart's heading names it. */
export interface ChartLegendEntry {
  /** The CSS class of the swatch before the name (charts-panel.css). */
  readonly swatch: string;
  readonly name: string;
  readonly value: string;
}

export type ChartName = "probability" | "entropy" | "time" | "rate" | "kinds";

export interface ChartTexts {
  readonly title: string;
  /** The subject of the chart. */
  readonly about: string;
  readonly series: readonly ChartLegendEntry[];
}

/** The most lines for mods in a chart. If there are more mods, the last line is for all remaining mods. */
export const maxModCurves = 4;

export function chartTexts(
  trace: TraceModel,
  metrics: ChartMetrics,
): Readonly<Record<ChartName, ChartTexts>> {
  const { probability, entropy, tokensPerSecond: rate, kinds } = metrics;
  const series = (swatch: string, value: string, name = swatch): ChartLegendEntry => ({
    swatch,
    name,
    value,
  });
  const { mostEntropy } = metrics;
  const bits = (least: number) =>
    mostEntropy === null
      ? `${least.toFixed(2)} bits`
      : `${least.toFixed(2)} to ${mostEntropy.toFixed(2)} bits`;
  const isOneToken = metrics.end - metrics.first === 1;
  return {
    probability: {
      title: "Probability",
      about: "of each token, before the mods",
      series: [
        series("probability", known(probability, formatProbability), isOneToken ? "probability" : "mean"),
      ],
    },
    entropy: {
      title: "Entropy",
      about:
        mostEntropy === null
          ? "of each choice, before the mods; 0 bits is certain"
          : "of each choice, before the mods; a range, because the server listed only some tokens",
      series: [series("entropy", known(entropy, bits), isOneToken ? "entropy" : "mean")],
    },
    time: {
      title: "Time per token",
      about: "by kind of work; the time to read the prompt is left out",
      series: [
        series("passes", known(metrics.passesMs, duration), "forward passes"),
        series("sampling", known(metrics.samplingMs, duration)),
        ...modCurveTimes(metrics).map((ms, mod) =>
          series(`mod-${mod}`, known(ms, duration), modLineName(trace, metrics, mod)),
        ),
      ],
    },
    rate: {
      title: "Tokens per second",
      about: "how fast the tokens arrived",
      series: [
        series(
          "rate",
          known(rate, (value) => `${formatNumber(Number(value.toPrecision(3)))} tokens/s`),
          "speed",
        ),
      ],
    },
    kinds: {
      title: "Tokens by kind",
      about: "number of tokens, removed tokens included",
      series: chartTokenKinds
        .filter((kind) => kind === "sampled" || kinds[kind] > 0)
        .map((kind) => series(kind, formatProbability(kinds[kind]), kindName(kind))),
    },
  };
}

/** About as many token numbers as fit below a chart. */
const mostTokenTicks = 6;

/** The places of the token numbers on the x axis: in the middle of token 1, and of round numbers such as 20 and 40. */
export function tokenTicks(length: number): readonly number[] {
  const step = Math.max(1, tickStep({ from: 0, to: length }, mostTokenTicks, 1));
  const numbers = [1];
  for (let token = step === 1 ? 2 : step; token <= length; token += step) numbers.push(token);
  return numbers.map((token) => token - 0.5);
}

/** The number of the token in whose middle a tick stands. Tokens count from 1. */
export function tokenTickLabel(place: number): string {
  return formatCount(place + 0.5);
}

/** Milliseconds per token for each line of mods. */
export function modCurveTimes({ modsMs }: ChartMetrics): readonly (number | null)[] {
  if (modsMs.length <= maxModCurves) return modsMs;
  const others = modsMs.slice(maxModCurves - 1);
  const sum = others.reduce<number>((total, ms) => total + (ms ?? 0), 0);
  return [...modsMs.slice(0, maxModCurves - 1), others.every((ms) => ms === null) ? null : sum];
}

function modLineName(trace: TraceModel, { modsMs }: ChartMetrics, line: number): string {
  const isForTheRest = modsMs.length > maxModCurves && line === maxModCurves - 1;
  return isForTheRest ? `${modsMs.length - line} other mods` : modName(trace, line);
}

function kindName(kind: ChartTokenKind): string {
  return kind === "removed" || kind === "asked" ? kind : kindLabels[kind];
}

function known(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}

function duration(ms: number): string {
  return formatDuration(ms * 1000);
}

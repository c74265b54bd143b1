import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chartMetrics, chartTokenKinds } from "../../../core/trace/model/chart-columns.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { chartTexts, maxModCurves, modCurveTimes, tokenTickLabel, tokenTicks } from "./chart-labels.ts";

const trace = createTraceModel();
trace.append(sampleTrace({ tokens: 200 }).records);
const metrics = chartMetrics(trace, { first: 0, end: trace.tokens.text.length });

test("each mod has a line; where there are many, the last line is for those that are left", () => {
  const names = (modsMs: readonly (number | null)[]) =>
    chartTexts(trace, { ...metrics, modsMs })
      .time.series.map(({ name, value }) => `${name} ${value}`)
      .slice(2);
  expect(names([1, 2])).toEqual(["call-her-lily 1.0 ms", "no-shouting 2.0 ms"]);
  expect(names([1, 2, 3, 4, 5, null]).at(-1)).toBe("3 other mods 9.0 ms");
  expect(modCurveTimes({ ...metrics, modsMs: [1, 2, 3, null, null] })).toEqual([1, 2, 3, null]);
});

test("the heads of the charts say what is drawn, and a dash where nothing is known", () => {
  const unknown = { ...metrics, probability: null, entropy: null, tokensPerSecond: null };
  const said = (figure: typeof metrics) =>
    Object.values(chartTexts(trace, figure)).flatMap(({ series }) =>
      series.map(({ name, value }) => [name, value]),
    );
  expect(said(unknown)).toContainEqual(["mean", "–"]);
  expect(said(unknown)).toContainEqual(["speed", "–"]);
  const kinds = said(metrics).slice(-5);
  expect(kinds.map(([name]) => name)).toEqual(["chosen", "adjusted", "forced", "replacement", "removed"]);
  expect(kinds.every(([, value]) => /^[\d.]+%$/.test(value ?? ""))).toBe(true);
});

test("the figure of one token is not called a mean", () => {
  const { probability, entropy } = chartTexts(trace, chartMetrics(trace, { first: 3, end: 4 }));
  expect([...probability.series, ...entropy.series].map(({ name }) => name)).toEqual([
    "probability",
    "entropy",
  ]);
});

test("each series has a colour in charts-panel.css", () => {
  const styles = readFileSync("src/view/timeline/charts/charts-panel.css", "utf8");
  const kinds = Object.fromEntries(chartTokenKinds.map((kind) => [kind, 1])) as typeof metrics.kinds;
  const modsMs = Array.from({ length: maxModCurves }, () => 1);
  const swatches = Object.values(chartTexts(trace, { ...metrics, kinds, modsMs })).flatMap(({ series }) =>
    series.map(({ swatch }) => swatch),
  );
  expect(swatches.length).toBeGreaterThan(12);
  expect(swatches.filter((swatch) => !new RegExp(`\\.swatch-${swatch}[\\s,{]`).test(styles))).toEqual([]);
});

test.each([
  [1, ["1"]],
  [4, ["1", "2", "3", "4"]],
  [90, ["1", "20", "40", "60", "80"]],
  [3000, ["1", "500", "1,000", "1,500", "2,000", "2,500", "3,000"]],
])("the axis of %j tokens counts from 1, as all other views do", (length, labels) => {
  expect(tokenTicks(length).map(tokenTickLabel)).toEqual(labels);
});

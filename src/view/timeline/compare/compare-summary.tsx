/** Both runs in numbers, and the settings in which they differ. */
import { useMemo } from "react";
import {
  modsThatDiffer,
  type RunMetrics,
  runMetrics,
  settingsThatDiffer,
} from "../../../core/trace/compare/compare-metrics.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { formatCount, formatDuration } from "../../ui/format.ts";
import { runEndSentence } from "../end-labels.ts";
import { passesHint } from "../run-metrics.ts";

interface CompareSummaryProps {
  readonly left: TraceModel;
  readonly right: TraceModel;
  /** Changes whenever one of the runs grows. */
  readonly version: unknown;
}

/** The most UTF-16 units of a setting that are drawn. */
const longestSetting = 200;

export function CompareSummary({ left, right, version }: CompareSummaryProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a trace grows in place; `version` says so
  const [one, other] = useMemo(() => [runMetrics(left), runMetrics(right)], [left, right, version]);
  const settings = settingsThatDiffer(left.request, right.request);
  const mods = modsThatDiffer(left.request, right.request);
  const hasDifferences = (settings?.length ?? 0) + mods.length > 0;
  const settingsHeading = hasDifferences ? "Settings that differ" : "Same settings, seed and mods.";
  return (
    <>
      <table className="compare-table">
        <caption>Both runs in numbers</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col">B minus A</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map(({ name, read, format, leftOutIfZero }) => {
            const a = read(one);
            const b = read(other);
            if (leftOutIfZero && a === 0 && b === 0) return null;
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="compare-figure">{a === null ? "not known" : format(a)}</td>
                <td className="compare-figure">{b === null ? "not known" : format(b)}</td>
                <td className="compare-figure">
                  {a === null || b === null ? "" : formatDifference(b - a, format)}
                </td>
              </tr>
            );
          })}
          <tr>
            <th scope="row">How the run ended</th>
            <td>{endOf(left)}</td>
            <td>{endOf(right)}</td>
            <td />
          </tr>
        </tbody>
        <tbody>
          <tr>
            <th scope="rowgroup" colSpan={4}>
              {settings === null
                ? "One of the runs was saved without its settings, so the settings are not compared."
                : settingsHeading}
            </th>
          </tr>
          {settings?.map((setting) => (
            <tr key={setting.name}>
              <th scope="row">{setting.name}</th>
              <td className="compare-setting">{showInvisibleCharacters(setting.left, longestSetting)}</td>
              <td className="compare-setting">{showInvisibleCharacters(setting.right, longestSetting)}</td>
              <td />
            </tr>
          ))}
          {mods.length > 0 && (
            <tr>
              <th scope="row">Mods whose source differs</th>
              <td colSpan={3} className="compare-setting">
                {showInvisibleCharacters(mods.join(", "), longestSetting)}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <p className="compare-note">
        Surprisal is −log₂ of a token’s probability before the mods: the more unexpected a token was to the
        model, the higher its surprisal. The table has the sum over all tokens with a recorded probability. An
        intervention is a mod’s reply that changed something. {passesHint} The time includes reading the
        prompt, writing, and the mods’ replies, but not loading the model and the mods.
      </p>
    </>
  );
}

interface Metric {
  readonly name: string;
  readonly read: (metrics: RunMetrics) => number | null;
  readonly format: (value: number) => string;
  readonly leftOutIfZero?: true;
}

const bits = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} bits`;

const metrics: readonly Metric[] = [
  { name: "Tokens", read: ({ tokens }) => tokens, format: formatCount },
  { name: "Removed tokens", read: ({ removed }) => removed, format: formatCount },
  {
    name: "Tokens in hidden questions",
    read: ({ asked }) => asked,
    format: formatCount,
    leftOutIfZero: true,
  },
  { name: "Tokens with a recorded probability", read: ({ scored }) => scored, format: formatCount },
  { name: "Surprisal", read: ({ surprisal }) => surprisal, format: bits },
  {
    name: "Surprisal per token",
    read: ({ surprisal, scored }) => (surprisal === null ? null : surprisal / scored),
    format: (value) => `${value.toFixed(2)} bits`,
  },
  { name: "Interventions", read: ({ interventions }) => interventions, format: formatCount },
  { name: "Forward passes", read: ({ forwardPasses }) => forwardPasses, format: formatCount },
  { name: "Time", read: ({ timeUs }) => timeUs, format: formatDuration },
];

function formatDifference(difference: number, format: (value: number) => string): string {
  const text = format(Math.abs(difference));
  if (difference === 0) return text;
  return `${difference < 0 ? "−" : "+"}${text}`;
}

function endOf({ finished }: TraceModel): string {
  if (!finished) return "Still running";
  const sentence = runEndSentence(finished).replace(/^Ended: /, "");
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

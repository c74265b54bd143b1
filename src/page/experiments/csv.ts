/** Tables as CSV (RFC 4180): CRLF, commas, quotes where they are needed, UTF-8. */
import type { Experiment } from "./experiment.ts";
import { lastMessageText, settingLabel } from "./names.ts";
import type { RunOutcome } from "./outcome.ts";
import { plannedRunsByNumber } from "./plan.ts";
import type { MeanEstimate, ProportionEstimate } from "./statistics.ts";
import type { TableRow } from "./table.ts";

type Cell = string | number | null;

/** A row for each finished run. */
export function runsToCsv(experiment: Experiment, outcomes: readonly RunOutcome[]): string {
  const { modSets, prompts, seeds, variation, checks } = experiment;
  const runs = plannedRunsByNumber(experiment);
  const rows = outcomes
    .toSorted((a, b) => a.number - b.number)
    .map(({ number, result, cost }): Cell[] => {
      const run = runs[number];
      const prompt = run && prompts[run.prompt];
      return [
        number,
        (run && modSets[run.modSet]?.name) ?? "",
        prompt ? lastMessageText(prompt) : "",
        ...(variation ? [(run && variation.values[run.value]) ?? null] : []),
        (run && seeds[run.seed]) ?? null,
        ...[result.interventions, result.tokens, result.surprisal, result.finishReason, result.error],
        ...checks.map((_, at) => holdsText(result.verdicts[at]?.holds ?? null)),
        ...[result.promptTokens, cost.reusedTokens, cost.forwardPasses, cost.prefillUs, cost.decodeUs],
        result.text,
      ];
    });
  return toCsv([
    [
      ...["run", "mods", "prompt", ...(variation ? [settingLabel(variation.setting)] : []), "seed"],
      ...["interventions", "tokens", "surprisal (bits per token)", "finish reason", "error"],
      ...checks.map(({ name }) => name),
      ...[
        "prompt tokens",
        "reused prompt tokens",
        "forward passes",
        "total prompt time (µs)",
        "total decode time (µs)",
        "answer",
      ],
    ],
    ...rows,
  ]);
}

/** The table on the page: a row for each group, and for each metric the ends of its interval. */
export function tableToCsv(experiment: Experiment, rows: readonly TableRow[]): string {
  const { modSets, prompts, variation, checks } = experiment;
  const estimate = ({ mean, low, high }: MeanEstimate): Cell[] => [mean, low, high];
  const share = ({ holds, of, share, low, high }: ProportionEstimate): Cell[] => [
    holds,
    of,
    share,
    low,
    high,
  ];
  const ends = (name: string) => [`${name} (95% interval from)`, `${name} (95% interval to)`];
  const withEnds = (name: string) => [name, ...ends(name)];
  return toCsv([
    [
      ...[
        "mods",
        "prompt",
        ...(variation ? [settingLabel(variation.setting)] : []),
        "runs",
        "made",
        "failed",
      ],
      ...["interventions", "tokens", "surprisal (bits per token)"].flatMap(withEnds),
      "finish reasons",
      ...checks.flatMap(({ name }) => [
        ...[`${name}: runs passed`, `${name}: runs checked`],
        ...withEnds(`${name}: pass rate`),
      ]),
    ],
    ...rows.map((row): Cell[] => {
      const prompt = row.prompt === null ? undefined : prompts[row.prompt];
      return [
        row.modSet === null ? "" : (modSets[row.modSet]?.name ?? ""),
        prompt ? lastMessageText(prompt) : "",
        ...(variation ? [row.value === null ? null : (variation.values[row.value] ?? null)] : []),
        ...[row.runs.length, row.made, row.failed],
        ...[row.interventions, row.tokens, row.surprisal].flatMap(estimate),
        row.finishReasons.map(([reason, times]) => `${reason} ${times}`).join("; "),
        ...row.checks.flatMap(share),
      ];
    }),
  ]);
}

function holdsText(holds: boolean | null): string {
  if (holds === null) return "";
  return holds ? "yes" : "no";
}

function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/**
 * The beginning of a formula for a spreadsheet: also in full width, and also after space, line ends, a byte order
 * mark and other characters without ink, which a program may skip. U+2800 is the empty Braille pattern.
 */
const formula =
  /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}\p{M}\u2800]*[=+\-@＝＋－﹣＠﹢﹦﹫]|^[\t\r\n]/u;

/**
 * Outputs come from models, and prompts may come from strangers. A text that a spreadsheet would read as a formula gets a leading
 * apostrophe, which makes it plain text (OWASP, "CSV Injection"). The JSON file has every text unchanged.
 */
function field(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

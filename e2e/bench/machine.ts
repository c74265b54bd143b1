/** Parts that every bench shares: the machine, a fixed loop that measures the machine's present speed, and how figures are printed. */
import { spawnSync } from "node:child_process";
import { cpus, totalmem } from "node:os";
import { findChromium } from "../../scripts/browsers.mjs";
import { type AdapterRecord, adapterText } from "../../scripts/gpu/adapter-record.ts";
import { median } from "./statistics.ts";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly node: string;
  /** As the browser says; absent if none was found. */
  readonly chromium?: string;
  /** `calibrate()` in this run, and on the idle machine on which the limits were set. */
  readonly calibration: { readonly ms: number; readonly referenceMs: number };
}

/** One figure. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The limit of the value, scaled by the machine's speed if `limitAsSet` is given. Null without a limit. */
  readonly limit: number | null;
  readonly ok: boolean;
  /** A limit that is a time, as it was set on the reference machine. */
  readonly limitAsSet?: number;
  /** Whether the value has to be at most, at least or exactly the limit. */
  readonly bound?: Bound;
  /** The WebGPU adapter that the figure was measured on (`adapterText`); absent in rows of WebAssembly. */
  readonly adapter?: string;
  /** Shown in the table instead of the value and the limit, for a row that is no figure. */
  readonly text?: string;
}

export type Bound = "≤" | "≥" | "=";

export interface BenchResult {
  readonly bench: string;
  readonly machine: Machine;
  readonly rows: readonly BenchRow[];
}

/** Rows that need what is not in the repository. */
interface MissingRows {
  readonly rows: string;
  /** The variable or the option that would bring them. */
  readonly broughtBy: string;
}

const missing: MissingRows[] = [];

/** Notes rows that cannot be measured here, for `printBench` to say; gives no rows. */
export function missingRows(rows: string, broughtBy = "MIDTOKEN_MODELS"): BenchRow[] {
  missing.push({ rows, broughtBy });
  return [];
}

const adapters = new Map<string, AdapterRecord>();

/** Notes an adapter that a page of this run has, for `printBench` to write down whole. */
export function recordAdapter(adapter: AdapterRecord | null): void {
  if (adapter) adapters.set(adapterText(adapter), adapter);
}

/** The rows with the name of the adapter that they were measured on. */
export function onAdapter(adapter: AdapterRecord | null, rows: readonly BenchRow[]): BenchRow[] {
  return rows.map((each) => ({ ...each, adapter: adapterText(adapter) }));
}

/** `calibrate()` on the machine on which the limits were set (2 cores, idle). */
const referenceCalibrationMs = 9.0;

const loopCount = 8_000_000;
const loopRuns = 15;

/** Milliseconds of a fixed loop of integer and floating-point arithmetic: the median of several, the first ones left out. */
export function calibrate(): number {
  fixedLoop();
  fixedLoop();
  const times = Array.from({ length: loopRuns }, () => {
    const start = performance.now();
    fixedLoop();
    return performance.now() - start;
  });
  return median(times);
}

/** Its result is looked at, so that no compiler leaves it out. */
function fixedLoop(): void {
  let state = 1;
  let sum = 0;
  for (let i = 0; i < loopCount; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    sum += (state >>> 8) * 0.5;
  }
  if (!Number.isFinite(sum)) throw new Error("The fixed loop came to no number.");
}

let measured: Machine | null = null;

/** This machine; calibrated once per run of a bench, at the first call. */
export async function machine(): Promise<Machine> {
  measured ??= {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    ...(await chromiumVersion()),
    calibration: { ms: calibrate(), referenceMs: referenceCalibrationMs },
  };
  return measured;
}

async function chromiumVersion(): Promise<{ chromium?: string }> {
  const path = await findChromium();
  if (!path) return {};
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return stdout ? { chromium: stdout.trim() } : {};
}

function row(name: string, value: number, unit: string, limit: number | null, ok: boolean): BenchRow {
  return { name, value, unit, limit, ok };
}

/** A figure without a limit. */
export function figure(name: string, value: number, unit: string): BenchRow {
  return row(name, value, unit, null, true);
}

export function atMost(name: string, value: number, unit: string, limit: number): BenchRow {
  return { ...row(name, value, unit, limit, value <= limit), bound: "≤" };
}

export function atLeast(name: string, value: number, unit: string, limit: number): BenchRow {
  return { ...row(name, value, unit, limit, value >= limit), bound: "≥" };
}

export function exactly(name: string, value: number, unit: string, limit: number): BenchRow {
  return { ...row(name, value, unit, limit, value === limit), bound: "=" };
}

/**
 * For limits that are times: the limit is as much longer or shorter as the fixed loop takes here and now.
 * @param calibrations what `calibrate()` gave around the measurement, for a machine that does other things meanwhile; that of the run's beginning unless given.
 */
export async function timeAtMost(
  name: string,
  value: number,
  unit: string,
  limitAsSet: number,
  calibrations?: readonly number[],
): Promise<BenchRow> {
  const { calibration } = await machine();
  const ms = calibrations ? median(calibrations) : calibration.ms;
  const limit = (limitAsSet * ms) / calibration.referenceMs;
  return { ...atMost(name, value, unit, limit), limitAsSet };
}

/** Prints a table and what is missing in it, or with `json` one object on one line; a missed limit makes the process end with status 1. */
export function printBench(result: BenchResult, json: boolean): void {
  const lines = missing.map(({ rows, broughtBy }) => `Missing: ${rows}. Set ${broughtBy} to have them.`);
  const whole = { ...result, adapters: [...adapters.values()], missing };
  console.log(json ? JSON.stringify(whole) : [table(result), ...lines].join("\n"));
  if (result.rows.some(({ ok }) => !ok)) process.exitCode = 1;
}

function table({ bench, machine, rows }: BenchResult): string {
  const { cpu, cores, memoryGB, node, chromium, calibration } = machine;
  const heading = [
    `${bench}: ${cpu}, ${cores} cores, ${memoryGB} GB, Node ${node}${chromium ? `, ${chromium}` : ""}`,
    `fixed loop ${digits(calibration.ms)} ms (${digits(calibration.referenceMs)} ms when the limits were set)`,
    ...[...adapters.keys()].map((text) => `WebGPU: ${text}`),
  ];
  const cells = rows.map((entry) => [
    entry.name,
    entry.text ?? `${digits(entry.value)} ${entry.unit}`.trim(),
    entry.text === undefined ? limitText(entry) : "",
    verdict(entry),
    entry.adapter ?? "",
  ]);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...cells.map((line) => (line[column] ?? "").length)),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [...heading, "", ...lines].join("\n");
}

function verdict({ limit, ok }: BenchRow): string {
  if (limit === null) return "";
  return ok ? "ok" : "MISSED";
}

function limitText({ bound, limit, limitAsSet, unit }: BenchRow): string {
  if (limit === null) return "";
  const text = `${bound ?? ""} ${digits(limit)} ${unit}`.trim();
  return limitAsSet === undefined ? text : `${text} (set: ${digits(limitAsSet)})`;
}

/** Four significant digits, whole numbers whole. */
function digits(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const text = value.toPrecision(4);
  return text.includes("e") ? text : String(Number(text));
}

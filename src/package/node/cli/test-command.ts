/** `midtoken test`: runs mods on a table of prompts, checks the expectations, and compares the outputs with the stored ones. */

import { dirname, resolve } from "node:path";
import { messageOf } from "../../../core/base/message-of.ts";
import { requestDefaults } from "../../../core/base/request-defaults.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { modelOf } from "../model-of.ts";
import { registerModFiles } from "./mod-files.ts";
import {
  type ModTestAnswer,
  type ModTestCase,
  type ModTests,
  testCaseNameOf,
  unmetExpectations,
} from "./mod-tests.ts";
import { openEngineWithProgress } from "./open-engine.ts";
import { type OptionValues, readOptions } from "./options.ts";
import {
  describeAnswerChanges,
  readSnapshot,
  type Snapshot,
  type StoredAnswer,
  snapshotPath,
  toStoredAnswer,
  writeSnapshot,
} from "./snapshot.ts";
import { exitCodes, type Terminal, UsageError } from "./terminal.ts";
import { loadTestFile } from "./test-file.ts";

export const testCommandOptions = {
  update: { type: "boolean" },
  ci: { type: "boolean" },
  model: { type: "string" },
  dtype: { type: "string" },
  json: { type: "boolean" },
} as const;

type Values = OptionValues<typeof testCommandOptions>;

/** `failed`: an expectation is not met, a mod failed, or no output is stored although one should be. */
interface CaseResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "changed" | "stored";
  /** The reasons, as lines for the user. */
  readonly lines: readonly string[];
  readonly answer: StoredAnswer | null;
}

interface FileResult {
  readonly file: string;
  readonly cases: readonly CaseResult[];
  /** The reason why the file's cases could not run, with the line; absent if they ran. */
  readonly error?: string;
}

export async function testCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals: files } = readOptions(words, testCommandOptions);
  if (files.length === 0) throw new UsageError("No test file was given. Example: midtoken test mod.test.ts");
  const isCi = values.ci ?? ![undefined, "", "0", "false"].includes(terminal.environment.CI);
  const engine = await openEngineWithProgress(terminal, { keepRequests: 1 });
  const results: FileResult[] = [];
  try {
    for (const file of files) {
      const result = await resultOf({ engine, file, values, isCi, terminal });
      results.push(result);
      if (!values.json) terminal.write(reportOf(result));
    }
  } finally {
    engine.dispose();
  }
  const all = results.flatMap(({ cases }) => cases);
  const failedFiles = results.filter(({ error }) => error !== undefined).length;
  const isGood =
    failedFiles === 0 && all.every(({ outcome }) => outcome === "passed" || outcome === "stored");
  if (values.json) terminal.write(`${JSON.stringify({ ok: isGood, files: results }, null, 2)}\n`);
  else terminal.write(summaryOf(all, failedFiles));
  return isGood ? exitCodes.done : exitCodes.failed;
}

interface RunFile {
  readonly engine: MidtokenEngine;
  readonly file: string;
  readonly values: Values;
  readonly isCi: boolean;
  readonly terminal: Terminal;
}

/** If a file throws, this file fails, and the files after it still run. */
async function resultOf(run: RunFile): Promise<FileResult> {
  const { file, terminal } = run;
  try {
    return { file, cases: await runFile(run) };
  } catch (error) {
    terminal.signal.throwIfAborted();
    terminal.progress?.("");
    return { file, cases: [], error: messageOf(error) };
  }
}

async function runFile({ engine, file, values, isCi, terminal }: RunFile): Promise<readonly CaseResult[]> {
  const tests = await loadTestFile(file);
  const folder = dirname(resolve(file));
  const before = values.update ? null : await readSnapshot(file);
  const reference = await referenceOf(tests, folder, values);
  const { id } = await engine.models.load(reference, { signal: terminal.signal });
  const mods = await registerModFiles(
    engine,
    tests.mods.map((mod) => ({ path: resolve(folder, mod) })),
  );
  const model = [id, mods.join(",")].filter(Boolean).join("/");
  const results: CaseResult[] = [];
  for (const [place, each] of tests.cases.entries()) {
    const name = testCaseNameOf(each, place);
    terminal.progress?.(`${file}: ${name}`);
    results.push(
      await runCase(engine, {
        name,
        model,
        each: { ...tests.settings, ...each },
        before,
        isCi,
        update: values.update === true,
        signal: terminal.signal,
      }),
    );
  }
  terminal.progress?.("");
  await store(file, results, before, values.update === true);
  for (const mod of mods) await engine.mods.remove(mod);
  return results;
}

/** A path in the test file is relative to the file's folder; a path on the command line, to the current folder. */
async function referenceOf({ model }: ModTests, folder: string, values: Values) {
  if (values.model !== undefined) return modelOf(values.model, values.dtype);
  if (model === undefined) throw new UsageError("--model is missing, and the file names no model.");
  return modelOf(/^\.{1,2}\//.test(model) ? resolve(folder, model) : model, values.dtype);
}

/** If a case failed, its stored output stays. */
async function store(
  file: string,
  results: readonly CaseResult[],
  before: Snapshot | null,
  update: boolean,
): Promise<void> {
  const isNew = results.some(({ outcome }) => outcome === "stored");
  if (!update && !isNew) return;
  const cases: Record<string, StoredAnswer> = {};
  for (const { name, outcome, answer } of results) {
    const kept = outcome === "stored" || update ? answer : (before?.[name] ?? null);
    if (kept) cases[name] = kept;
  }
  await writeSnapshot(file, cases);
}

interface RunCase {
  readonly name: string;
  readonly model: string;
  readonly each: ModTestCase;
  readonly before: Snapshot | null;
  readonly isCi: boolean;
  readonly update: boolean;
  readonly signal: AbortSignal;
}

async function runCase(
  engine: MidtokenEngine,
  { name, model, each, before, isCi, update, signal }: RunCase,
): Promise<CaseResult> {
  const answered = await ask(engine, model, each, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return messageOf(error);
  });
  if (typeof answered === "string") return { name, outcome: "failed", lines: [answered], answer: null };
  const answer = toStoredAnswer(answered);
  const wrong = await unmetExpectations(each.expect ?? {}, answered);
  if (wrong.length > 0) {
    const said = `the answer was ${JSON.stringify(answered.text)}`;
    return { name, outcome: "failed", lines: [...wrong, said], answer };
  }
  const known = before && Object.hasOwn(before, name) ? before[name] : undefined;
  if (update) return { name, outcome: "stored", lines: [], answer };
  if (!known && isCi) {
    const lines = [
      "it has no stored answer: run it once without --ci, and add the snapshot to the repository",
    ];
    return { name, outcome: "failed", lines, answer };
  }
  if (!known) return { name, outcome: "stored", lines: [], answer };
  const lines = describeAnswerChanges(known, answer);
  return { name, outcome: lines.length > 0 ? "changed" : "passed", lines, answer };
}

async function ask(
  engine: MidtokenEngine,
  model: string,
  { prompt, system, stop, ...settings }: ModTestCase,
  signal: AbortSignal,
): Promise<ModTestAnswer> {
  const { maxTokens, seed, sampling } = requestDefaults.test;
  const asked = typeof prompt === "string" ? [{ role: "user", content: prompt } as const] : prompt;
  const messages = [
    ...(system === undefined ? [] : [{ role: "system", content: system } as const]),
    ...asked,
  ];
  const { choices, midtoken } = await engine.chat.completions.create(
    {
      model,
      messages,
      max_tokens: settings.maxTokens ?? maxTokens,
      temperature: settings.temperature ?? sampling.temperature,
      seed: settings.seed ?? seed,
      ...(stop && { stop }),
    },
    { signal },
  );
  const [choice] = choices;
  const records = engine.requests.records(midtoken.request_ids[0] ?? "");
  const interventions: Record<string, number> = {};
  for (const record of records) {
    if (record.type !== "modCall" || record.action.type === "noop") continue;
    interventions[record.action.type] = (interventions[record.action.type] ?? 0) + 1;
  }
  const { content, tool_calls: calls } = choice?.message ?? {};
  const text = calls ? JSON.stringify(calls.map((call) => call.function)) : (content ?? "");
  return { text, finishReason: choice?.finish_reason ?? "", interventions, records };
}

const marks = { passed: "✓", failed: "✗", changed: "~", stored: "+" } as const;

function reportOf({ file, cases, error }: FileResult): string {
  if (error !== undefined) return `${file}\n  ${marks.failed} ${error}\n`;
  const lines = cases.flatMap(({ name, outcome, lines: why }) => [
    `  ${marks[outcome]} ${name}`,
    ...why.map((line) => `      ${line}`),
  ]);
  const isChanged = cases.some(({ outcome }) => outcome === "changed");
  const hint = isChanged
    ? [`  To save the changed answers in ${snapshotPath(file)}, run: midtoken test ${file} --update`]
    : [];
  return `${[file, ...lines, ...hint].join("\n")}\n`;
}

function summaryOf(all: readonly CaseResult[], failedFiles: number): string {
  const words = (Object.keys(marks) as (keyof typeof marks)[]).flatMap((outcome) => {
    const count = all.filter((each) => each.outcome === outcome).length;
    return count > 0 ? [`${count} ${outcome}`] : [];
  });
  const files = failedFiles === 1 ? "1 file could not be run" : `${failedFiles} files could not be run`;
  const parts = [...words, ...(failedFiles > 0 ? [files] : [])];
  return `${all.length} ${all.length === 1 ? "case" : "cases"}: ${parts.join(", ")}\n`;
}

/** The work of the button Run: load the model if necessary, compile the mods, start. */

import { type EveryKey, withoutUndefined } from "../../../core/base/every-key.ts";
import { importProgramPart, ProgramPartError } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { FieldsOf, RequestFieldName } from "../../../core/base/request-fields.ts";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { type AnswerRequestFields, answerFieldsOfSettings } from "./answer-settings.ts";
import { noteRepeatedRun, type RepeatedRun } from "./earlier-runs.ts";
import type { UserMod } from "./mods-store.ts";
import type { Problem } from "./problems-store.ts";
import type { Stores } from "./stores.ts";
import { turnsToMessages } from "./turns.ts";

export async function startRun(stores: Stores): Promise<void> {
  const run = stores.run.getState();
  if (["starting", "running", "paused"].includes(run.status)) return;
  const mods = stores.mods.getState().mods.filter(({ enabled }) => enabled);
  await performRunPreparation(stores, async (signal) => {
    const answer = answerFieldsOfSettings(stores.settings.getState().answer);
    if (!answer.ok) {
      run.fail(answer.problem);
      return;
    }
    if (!(await prepareToRun(stores, mods, signal))) return;
    const banning = await banningMods(stores);
    if (signal.aborted) return;
    const request = runRequestOf(stores, mods);
    run.run(
      { ...request, ...answer.fields, mods: [...request.mods, ...banning] },
      mods.map(({ id }) => id),
    );
  });
}

/** Like `startRun`; notes that the run repeats `recorded`, a run from a link. If `recorded` is null, the run repeats none. */
export async function startRunAsRepeatOf(stores: Stores, recorded: RepeatedRun | null): Promise<void> {
  const before = stores.run.getState().trace;
  await startRun(stores);
  const { trace } = stores.run.getState();
  if (recorded && trace !== before) noteRepeatedRun(trace, recorded);
}

/**
 * Loads the model and compiles the mods. Returns false if no run can begin: the user stopped the preparation, or the page now
 * says why (`startFailure`).
 */
export async function prepareToRun(
  stores: Stores,
  mods: readonly UserMod[],
  signal: AbortSignal,
): Promise<boolean> {
  const [loaded, problem] = await Promise.all([
    loadChosen(stores, signal),
    firstProblem(stores, mods, signal),
  ]);
  if (signal.aborted) return false;
  if (problem) {
    stores.mods.getState().open(problem.mod);
    const words = `${nameOf(mods, problem.mod)} does not compile${placeInSource(problem)}: ${problem.message}`;
    // If the problem has no line (the source as a whole was refused), its message already says what to do.
    stores.run.getState().fail(problem.line === null ? words : `${words} Fix the mod, then press Run.`);
  } else if (!loaded) {
    endPreparationWithoutModel(stores);
  } else {
    stores.problems.getState().report("run", []);
    return true;
  }
  return false;
}

/** Loads the chosen model. If the user chooses another model meanwhile, loads that model instead. Resolves with null if loading failed or was cancelled. */
async function loadChosen({ model }: Stores, signal: AbortSignal): Promise<LoadedModel | null> {
  let loaded: LoadedModel | null;
  let choseAnother: boolean;
  do {
    let { choice } = model.getState();
    // On a first visit, the page makes its own choice only once the list of models is read.
    const unsubscribe = model.subscribe((state) => {
      choice ??= state.choice;
    });
    loaded = await model.getState().load().finally(unsubscribe);
    const now = model.getState();
    choseAnother = choice !== null && now.choice !== choice && now.status.type !== "failed";
  } while (loaded === null && choseAnother && !signal.aborted);
  return loaded;
}

/**
 * Stops the run in progress, shows that a run is being prepared, and calls `prepare`; if it throws, shows the reason. The signal
 * is aborted when the user stops the run.
 */
export async function performRunPreparation(
  { run, problems }: Stores,
  prepare: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { begin, fail } = run.getState();
  const signal = begin();
  try {
    await prepare(signal);
  } catch (cause) {
    if (signal.aborted) return;
    if (cause instanceof ProgramPartError) problems.getState().reportCompiler(cause);
    fail(cause instanceof ProgramPartError ? `${cause.message} ${howToFetchAgain}` : messageOf(cause));
  }
}

/** Ends the preparation of a run whose model was not loaded. */
export function endPreparationWithoutModel({ run, model }: Stores): void {
  const { status } = model.getState();
  if (status.type === "failed") run.getState().fail(status.message);
  // The user cancelled the loading, which is no failure of the run.
  else run.getState().stop();
}

const howToFetchAgain =
  "Check that you are online and press Run again; if Midtoken was updated meanwhile, reload the page.";

/** Milliseconds after which the page says that a run waits for the compiler. */
const longCompileMs = 300;

async function firstProblem(
  stores: Stores,
  mods: readonly UserMod[],
  signal: AbortSignal,
): Promise<Problem | null> {
  const { setCompiling } = stores.run.getState();
  let compiling = "";
  const timer = setTimeout(() => !signal.aborted && setCompiling(compiling), longCompileMs);
  const found: Problem[] = [];
  try {
    for (const { id, name, source } of mods) {
      compiling = name;
      if (stores.run.getState().compiling !== null) setCompiling(name);
      const problems = await stores.engine.session.compileProblems(source, signal);
      stores.problems.getState().reportCompiler(null);
      found.push(...problems.map((problem): Problem => ({ ...problem, mod: id, source: "compile" })));
      // A source that is refused as a whole may have used up the compile time: the remaining sources are not compiled now.
      if (problems.some(({ line }) => line === null)) break;
    }
  } finally {
    clearTimeout(timer);
    if (!signal.aborted) setCompiling(null);
  }
  stores.problems.getState().report("compile", found);
  return found[0] ?? null;
}

function nameOf(mods: readonly UserMod[], id: string): string {
  return mods.find((mod) => mod.id === id)?.name ?? "A mod";
}

function placeInSource({ line, column }: Problem): string {
  if (line === null) return "";
  return column === null ? ` (line ${line})` : ` (line ${line}, column ${column})`;
}

/** The built-in mod that bans the banned texts; none if no text is banned. */
async function banningMods({ settings }: Stores): Promise<RunRequest["mods"]> {
  const { bannedStrings } = settings.getState();
  if (bannedStrings.length === 0) return [];
  const load = () => import("../../../core/sdk/banned-strings.ts");
  const { banningModName, banningModSource } = await importProgramPart(
    "The code that bans texts",
    load,
    "banningModSource",
  );
  return [{ name: banningModName, source: banningModSource(bannedStrings) }];
}

/** The request of a run with these mods, without the fields of the answer format and without the mod for banned texts. */
export function runRequestOf(stores: Stores, mods: readonly UserMod[]): RunRequest {
  const { sampling, maxTokens, stop, seed, onModError, limits } = stores.settings.getState();
  // Each key is named, so that the compiler asks for a field that is added to the table of request fields.
  const every: EveryKey<Omit<RunRequest, keyof AnswerRequestFields>> = {
    requestId: newRequestId(),
    messages: turnsToMessages(stores.conversation.getState().turns),
    sampling,
    maxTokens,
    stop,
    seed: seed ?? Math.floor(Math.random() * 0x1_0000_0000),
    onModError,
    budget: limits.budget ?? undefined,
    deadlines: limits.deadlines,
    mods: mods.map(({ name, source, entry }) => ({ name, source, ...(entry !== null && { entry }) })),
    ...notOnThePage,
  };
  return withoutUndefined(every);
}

/** Fields without a setting in the form. The type names each of them; a field that gets a setting moves up. */
const notOnThePage: Readonly<
  Record<Exclude<RequestFieldName, FieldsOf<"page">> | "branchPoint" | "hasRandomSeed", undefined>
> = {
  rawPrompt: undefined,
  parseSpecial: undefined,
  heal: undefined,
  promptLookup: undefined,
  // The page shows the seed of each run, and a run with this seed has the same tokens.
  hasRandomSeed: undefined,
  branchPoint: undefined,
};

export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return `req_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Makes the runs of experiments in the background, one experiment at a time, and saves each result. The page's own
 * run goes first. A saved run is never made again, so a stopped experiment continues where it was.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { runInSlices } from "../../../core/base/in-slices.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import {
  type BackgroundQueue,
  createBackgroundQueue,
} from "../../../runtime/session/page-side/background-queue.ts";
import { functionCheckMod } from "../../experiments/function-check.ts";
import { createRunEvaluator } from "../../experiments/judge.ts";
import { type PlannedRun, plannedRunsInOrder } from "../../experiments/plan.ts";
import { requestOfRun } from "../../experiments/request.ts";
import { runToSaveInSteps } from "../../runs/run-to-save.ts";
import type { SavedExperiment } from "../../runs/schema.ts";
import { isQuotaExceeded } from "../../runs/storage-room.ts";
import { newId } from "../store/new-id.ts";
import { newRequestId } from "../store/start-run.ts";
import type { Stores } from "../store/stores.ts";
import { rememberRunningExperiment } from "./left-experiment.ts";

export interface RunnerState {
  /** Id of the experiment whose runs are being made; null if there is none. */
  readonly running: string | null;
  /** The current stage: load the model and check the mods, make runs, or wait for the page's own run. */
  readonly stage: "preparing" | "running" | "waiting";
  /** Why the last experiment stopped before its end, by its id. */
  readonly problems: Readonly<Record<string, string>>;
  /** Makes the missing runs. An experiment in progress is stopped first. */
  start(id: string): Promise<void>;
  /** Cancels the current run; all finished runs stay. */
  stop(): void;
  /** Stops the runner and its subscription to the page's run store. */
  dispose(): void;
}

type RunnerStores = Pick<Stores, "engine" | "model" | "run" | "runs" | "storages">;

/** Requests that are handed to the queue at a time. */
const window = 3;

export function createExperimentRunner(
  stores: RunnerStores,
  locks: LockManager | undefined,
): StoreApi<RunnerState> {
  const queue = createBackgroundQueue(stores.engine.session, newRequestId);
  let current = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const store = createStore<RunnerState>()((set, get) => {
    const start = async (id: string, signal: AbortSignal) => {
      const { [id]: _, ...problems } = get().problems;
      set({ running: id, stage: "preparing", problems });
      rememberRunningExperiment(stores, id);
      try {
        await alone(locks, id, async () => {
          await makeRuns(stores, queue, id, signal, () =>
            set({ stage: isBusy(stores) ? "waiting" : "running" }),
          );
        });
      } catch (cause) {
        if (!signal.aborted) set({ problems: { ...get().problems, [id]: messageOf(cause) } });
      }
      rememberRunningExperiment(stores, null);
      set({ running: null });
    };
    return {
      running: null,
      stage: "preparing",
      problems: {},
      start(id) {
        current.abort(new DOMException("The experiment was stopped.", "AbortError"));
        current = new AbortController();
        const { signal } = current;
        last = last.then(() => (signal.aborted ? undefined : start(id, signal)));
        return last;
      },
      stop: () => current.abort(new DOMException("The experiment was stopped.", "AbortError")),
      dispose() {
        current.abort(new DOMException("You left the page.", "AbortError"));
        stopFollowing();
      },
    };
  });
  const follow = () => {
    const isHeld = isBusy(stores);
    if (isHeld) queue.pause();
    else queue.release();
    const { running, stage } = store.getState();
    if (running !== null && stage !== "preparing") store.setState({ stage: isHeld ? "waiting" : "running" });
  };
  const stopFollowing = stores.run.subscribe(({ status }, before) => {
    if (status !== before.status) follow();
  });
  follow();
  return store;
}

/** Whether the page has a run of its own under way. */
function isBusy({ run }: RunnerStores): boolean {
  return ["starting", "running", "paused"].includes(run.getState().status);
}

/** @throws Error that says why the experiment cannot continue, and what to do. Finished runs stay. */
async function makeRuns(
  stores: RunnerStores,
  queue: BackgroundQueue,
  id: string,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const { experiments } = stores.runs;
  const saved = await experiments.find(id);
  if (!saved) throw new Error("The experiment was deleted, perhaps in another tab.");
  await prepare(stores, saved, signal);
  const made = new Set((await experiments.outcomes(id)).map(({ number }) => number));
  const remaining = plannedRunsInOrder(saved.experiment).filter(({ number }) => !made.has(number));
  signal.throwIfAborted();
  onReady();
  const make = (request: Parameters<BackgroundQueue["run"]>[0]) => queue.run(request, giveUp.signal);
  const judge = createRunEvaluator(saved.experiment, make);
  // A run that cannot be made ends the other runs of the same batch.
  const giveUp = new AbortController();
  const abort = () => giveUp.abort(signal.reason);
  signal.addEventListener("abort", abort);
  const makeOne = async (run: PlannedRun) => {
    const records = await make(requestOfRun(saved.experiment, run, ""));
    await saveOutcome(stores, saved, run, records, judge);
  };
  let next = 0;
  const worker = async () => {
    for (let run = remaining[next++]; run && !giveUp.signal.aborted; run = remaining[next++]) {
      try {
        await makeOne(run);
      } catch (cause) {
        giveUp.abort(cause);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: window }, worker));
    giveUp.signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function saveOutcome(
  { runs }: RunnerStores,
  { id, experiment }: SavedExperiment,
  run: PlannedRun,
  records: readonly TraceRecord[],
  judge: ReturnType<typeof createRunEvaluator>,
): Promise<void> {
  const trace = createTraceModel();
  trace.append(records);
  const ranOn = trace.request?.model.id;
  if (ranOn !== experiment.model) {
    throw new Error(
      `Another model was chosen meanwhile (${ranOn}). Choose ${experiment.model} in the model menu, and continue.`,
    );
  }
  const runId = newId();
  const outcome = await judge(run, trace, runId);
  const when = trace.request?.createdAt || Date.now();
  const origin = { id: runId, when, modIds: [], from: null, recorded: false, interrupted: false };
  const { metadata, texts, bytes } = await runInSlices(runToSaveInSteps(trace, origin));
  await runs.experiments.addOutcome(id, outcome, { metadata, texts, bytes }).catch((cause: unknown) => {
    if (!isQuotaExceeded(cause)) throw cause;
    throw new Error(
      "The browser’s storage is full. Delete runs, experiments or models that you no longer need, and continue.",
    );
  });
}

/** Loads the model and compiles the mods, so that a fault is reported once and not with every run. */
async function prepare(
  { engine, model }: RunnerStores,
  { experiment }: SavedExperiment,
  signal: AbortSignal,
): Promise<void> {
  const { choice } = model.getState();
  if (choice?.reference.id !== experiment.model) {
    const found = (await engine.listModels()).find(({ reference }) => reference.id === experiment.model);
    if (!found)
      throw new Error(
        `The experiment runs on ${experiment.model}, which is not in the list of models: add it under “Another model” in the model menu, and continue.`,
      );
    if (choice)
      throw new Error(
        `The experiment runs on ${experiment.model}, but ${choice.reference.id} is selected: choose ${experiment.model} in the model menu, and continue.`,
      );
    model.getState().choose(found.reference);
  }
  const checks = experiment.checks.flatMap((check) =>
    check.type === "function" ? [functionCheckMod(check)] : [],
  );
  const mods = [...experiment.modSets.flatMap((set) => set.mods), ...checks];
  const sources = new Map(mods.map(({ name, source }) => [source, name]));
  for (const [source, name] of sources) {
    const [problem] = await engine.session.compileProblems(source, signal);
    if (!problem) continue;
    const line = problem.line === null ? "" : ` (line ${problem.line})`;
    throw new Error(`${name} does not compile${line}: ${problem.message}`);
  }
  const loaded = await model.getState().load();
  signal.throwIfAborted();
  if (loaded) return;
  const { status } = model.getState();
  throw new Error(
    status.type === "failed" ? status.message : "The model was not loaded. Press “Continue” to load it.",
  );
}

/** One tab at a time makes an experiment's runs. Even without locks, which only secure pages have, each run is saved once. */
async function alone(locks: LockManager | undefined, id: string, work: () => Promise<void>): Promise<void> {
  if (!locks) return work();
  await locks.request(`midtoken.experiment ${id}`, { ifAvailable: true }, async (lock) => {
    if (!lock) throw new Error("This experiment is already running in another tab.");
    await work();
  });
}

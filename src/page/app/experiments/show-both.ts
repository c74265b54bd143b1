/** After "Try without mods": shows both texts side by side, unless the user went on to something else. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { type RunOutcome, repeatableResultOf } from "../../experiments/outcome.ts";
import { runWithFailureNotice } from "../history/run-with-notice.ts";
import { openSavedRun } from "../store/open-run.ts";
import type { Stores } from "../store/stores.ts";

type ShownStores = Pick<Stores, "run" | "runs" | "compare" | "notices">;

/** Numbers of the planned runs (`with-and-without.ts`). */
const without = 0;
const withMods = 1;

/**
 * @param isShown whether the run on the page is the run with the mods.
 * @returns what the experiment calls with its id when it ends; it does nothing if there are several seeds.
 */
export function createExperimentEndComparison(
  stores: Stores,
  seeds: number,
  isShown: boolean,
): (id: string) => void {
  const before = stores.run.getState().id;
  return (id) => {
    if (seeds === 1)
      void runWithFailureNotice(stores, () =>
        compareWithAndWithout(stores, id, before, isShown, (run) => openSavedRun(stores, run)),
      );
  };
}

/** `open` shows a saved run on the page. */
export async function compareWithAndWithout(
  { run, runs, compare }: ShownStores,
  id: string,
  before: string,
  isShown: boolean,
  open: (run: string) => Promise<boolean>,
): Promise<void> {
  const outcomes = await runs.experiments.outcomes(id);
  const [one, other] = [without, withMods].map((place) => outcomes.find(({ number }) => number === place));
  const { id: now, status, trace } = run.getState();
  const isBusy = status !== "finished" && status !== "failed" && status !== "empty";
  if (one === undefined || other === undefined || now !== before || isBusy) return;
  const isSame = isShown && endedLike(trace, other);
  if (!isSame && !(await open(other.runId))) return;
  await compare.getState().compareWith(one.runId);
}

/**
 * Whether the run on the page says the same as the experiment's run with the mods. If the two differ, for example because a mod
 * took too long in one of them, the experiment's run is shown: the table and the texts are then of the same runs.
 */
function endedLike(trace: TraceModel, { result }: RunOutcome): boolean {
  const { text, tokens, finishReason, error } = repeatableResultOf(trace, []);
  return (
    text === result.text &&
    tokens === result.tokens &&
    finishReason === result.finishReason &&
    error === result.error
  );
}

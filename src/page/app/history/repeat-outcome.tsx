/** Stands above a run that repeats a run from a link: says whether both are equal. If they differ, shows both texts side by side once. */
import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { type RerunDifference, rerunDifference } from "../../../core/trace/compare/rerun-difference.ts";
import { selectToken } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import { isFirstComparison, type RepeatedRun, repeatedRun } from "../store/earlier-runs.ts";
import { useStores } from "../store/stores.ts";
import "../../../view/ui/banner.css";

export function RepeatOutcome() {
  const { run } = useStores();
  const { status, trace } = useStore(run);
  const repeats = repeatedRun(trace);
  const isOver = status === "finished" || status === "failed";
  return isOver && repeats ? <Outcome recorded={repeats} trace={trace} /> : null;
}

interface OutcomeProps {
  readonly recorded: RepeatedRun;
  readonly trace: TraceModel;
}

function Outcome({ recorded, trace }: OutcomeProps) {
  const { run, runs, compare } = useStores();
  const difference = useMemo(() => rerunDifference(recorded.trace.records, trace.records), [recorded, trace]);
  const differs = difference !== null;
  useEffect(() => {
    if (!differs || !isFirstComparison(trace)) return;
    const open = async () => {
      // Imported runs are not saved in a browser whose storage is blocked or full.
      const saved = await runs.open(recorded.id);
      if (saved !== null && run.getState().trace === trace) await compare.getState().compareWith(recorded.id);
    };
    // If the saved runs cannot be read, the sentence and its buttons are left.
    void open().catch(() => undefined);
  }, [differs, recorded, trace, run, runs, compare]);
  const count = trace.tokens.text.length;
  const index = difference === null || count === 0 ? null : Math.min(difference.tokens, count - 1);
  return (
    <div className="banner" role="status">
      <p>{repeatSentence(difference, recorded.trace, trace)}</p>
      <div className="banner-actions">
        {index !== null && (
          <Button onClick={() => run.getState().select(selectToken(index))}>Show the first difference</Button>
        )}
        <Button onClick={() => void compare.getState().compareWith(recorded.id)}>Compare both texts</Button>
      </div>
    </div>
  );
}

/** Whether the run equals the recorded one, in a sentence or two. */
export function repeatSentence(
  difference: RerunDifference | null,
  recorded: Pick<TraceModel, "request">,
  trace: Pick<TraceModel, "request" | "outputTokens">,
): string {
  if (difference === null)
    return `This run is the same as the recorded run, token for token: ${countWithNoun(trace.outputTokens.length, "token")}.`;
  const { tokens, recorded: before, now } = difference;
  const [then, here] = [recorded.request?.model.device, trace.request?.model.device];
  const devices =
    then !== undefined && here !== undefined && then !== here
      ? ` The recorded run was made on ${then}, this run on ${here}: devices can compute slightly different numbers.`
      : "";
  return `This run differs from the recorded run at token ${formatCount(tokens + 1)}: recorded ${showInvisibleCharacters(before)}, here ${showInvisibleCharacters(now)}.${devices}`;
}

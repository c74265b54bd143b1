/**
 * For a run that continues another run with changed mods: says whether these mods would have acted the same way in the earlier
 * run, and links to the first difference.
 */
import { type Selection, selectToken } from "../../core/trace/model/selection.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { Button } from "../ui/button.tsx";
import { changedModsLabels } from "./branch-labels.ts";
import "./branch-difference.css";

interface BranchDifferenceProps {
  readonly trace: TraceModel;
  /** Raised as the trace grows: the record may come after this part is shown. */
  readonly version: number;
  readonly onSelect: (selection: Selection) => void;
}

export function ChangedModsNotice({ trace, onSelect }: BranchDifferenceProps) {
  const words = changedModsLabels(trace);
  if (words === null) return null;
  const { sentence, detail, index } = words;
  return (
    <aside className="branch-difference" aria-label="What the changed mods would have done before the branch">
      <p>
        {index === null ? sentence : <strong>{sentence}</strong>} {detail}
      </p>
      {index !== null && (
        <Button weight="quiet" onClick={() => onSelect(selectToken(index))}>
          Show the step
        </Button>
      )}
    </aside>
  );
}

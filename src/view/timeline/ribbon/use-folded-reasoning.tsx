/** Folds the model's reasoning away behind a line that says how long it is. */
import { type ReactNode, useMemo, useState } from "react";
import { reasoningTokenRange } from "../../../core/trace/model/reasoning-tokens.ts";
import { type Selection, selectToken } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { formatCount } from "../../ui/format.ts";
import { chevronDownPath, IconShape } from "../../ui/icon-shape.tsx";

export interface FoldedReasoning {
  /** Tokens before this index are reasoning. */
  readonly end: number;
  readonly isFolded: boolean;
  /** The line above the text that folds and unfolds the reasoning. */
  readonly line: ReactNode;
}

interface Reading {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection) => void;
}

/** Null if the model did not think. Selecting a token of the reasoning unfolds it, so that the token is visible. */
export function useFoldedReasoning({ trace, version, selection, onSelect }: Reading): FoldedReasoning | null {
  const [isWanted, setWanted] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const reasoning = useMemo(() => reasoningTokenRange(trace), [trace, version]);
  if (!reasoning) return null;
  const { end, count, isOpen } = reasoning;
  const holdsCursor = selection !== null && selection.cursor < end;
  const isFolded = !isWanted && !holdsCursor;
  const fold = () => {
    setWanted(isFolded);
    // Moves the selection out of the folded text, so that it stays visible.
    if (holdsCursor) onSelect(selectToken(Math.min(end, trace.tokens.text.length - 1)));
  };
  const line = (
    <button
      type="button"
      className="button button-quiet reasoning-line"
      aria-expanded={!isFolded}
      onClick={fold}
    >
      <IconShape path={chevronDownPath} />
      {isOpen ? "Thinking" : "Reasoning"}: {formatCount(count)} {count === 1 ? "token" : "tokens"}
    </button>
  );
  return { end, isFolded, line };
}

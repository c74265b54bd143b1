/** The page's state of a comparison. Types only: the store and the code that follows the runs both need them. */
import type { StoreApi } from "zustand/vanilla";
import type { Comparison, Side } from "../../../core/trace/compare/comparison.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { RunRepository } from "../../runs/repository.ts";
import type { RunState } from "./run-store.ts";

/** The run without mods of the other stands on the left; otherwise the older run does. */
export interface ComparedRuns {
  readonly type: "ready";
  readonly comparison: Comparison;
  readonly left: TraceModel;
  readonly right: TraceModel;
  /** Ids of the runs. */
  readonly ids: Readonly<Record<Side, string>>;
  /** On which side the run of the page stands. */
  readonly shown: Side;
  /** The shown run goes on: this is how far it was when they were compared. */
  readonly goesOn: boolean;
}

export type CompareView =
  | ComparedRuns
  /** The other run is being read, or both are being compared. */
  | { readonly type: "reading" }
  /** The shown run goes on, and is too long to be compared again and again until it ends. */
  | { readonly type: "waiting" }
  | { readonly type: "failed"; readonly message: string };

export interface CompareState {
  /** Id of the kept run that the shown one is compared with; null if none is. */
  readonly other: string | null;
  readonly view: CompareView;
  /** The column that the cursor is in. */
  readonly column: number;
  /**
   * Compares the shown run with a kept one, until another run is shown or begins.
   * @param keepsCursor the cursor is where the selection is, rather than at the first difference.
   */
  compareWith(id: string, keepsCursor?: boolean): Promise<void>;
  end(): void;
  /** Moves the cursor, and with it the selection of the shown run where it has a token there. */
  moveTo(column: number): void;
  /** Moves the cursor to the next difference, or to the one before. Returns false if there is none. */
  moveToDifference(direction: 1 | -1): boolean;
}

export interface CompareParts {
  readonly run: StoreApi<RunState>;
  readonly runs: Pick<RunRepository, "open">;
}

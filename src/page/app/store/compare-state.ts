/** The page's state of a comparison. Types only: the store and the code that follows the runs both need them. */
import type { StoreApi } from "zustand/vanilla";
import type { Comparison, Side } from "../../../core/trace/compare/comparison.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { RunRepository } from "../../runs/repository.ts";
import type { RunState } from "./run-store.ts";

/** The run that lacks some of the other run's mods stands on the left; if neither does, the older run. */
export interface ComparedRuns {
  readonly type: "ready";
  readonly comparison: Comparison;
  readonly left: TraceModel;
  readonly right: TraceModel;
  /** Ids of the runs. */
  readonly ids: Readonly<Record<Side, string>>;
  /** The side of the page's run. */
  readonly shown: Side;
  /** For a run in progress: how far it was when the runs were compared. */
  readonly goesOn: boolean;
}

export type CompareView =
  | ComparedRuns
  /** The other run is being read, or the runs are being compared. */
  | { readonly type: "reading" }
  /** The shown run is in progress, and too long to be compared repeatedly before it ends. */
  | { readonly type: "waiting" }
  | { readonly type: "failed"; readonly message: string };

export interface CompareState {
  /** Id of the saved run with which the shown run is compared; null without a comparison. */
  readonly other: string | null;
  readonly view: CompareView;
  /** The column that the cursor is in. */
  readonly column: number;
  /**
   * Compares the shown run with a saved run, until another run is shown or begins.
   * @param keepsCursor whether the cursor stays at the selection instead of moving to the first difference
   */
  compareWith(id: string, keepsCursor?: boolean): Promise<void>;
  end(): void;
  /** Moves the cursor, and the selection of the shown run too if that run has a token at the cursor. */
  moveTo(column: number): void;
  /** Moves the cursor to the next or the previous difference. Returns false if there is none. */
  moveToDifference(direction: 1 | -1): boolean;
}

export interface CompareStores {
  readonly run: StoreApi<RunState>;
  readonly runs: Pick<RunRepository, "open">;
}

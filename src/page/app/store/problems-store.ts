/** The problems of the mods: from the compiler, from the type checker, from the last run. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ProgramPartError } from "../../../core/base/import-part.ts";

export interface Problem {
  /** Id of the mod. */
  readonly mod: string;
  readonly source: "compile" | "types" | "run";
  readonly message: string;
  /** 1-based; null when unknown. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface ProblemsState {
  readonly problems: readonly Problem[];
  /** The reason why no mod can be compiled (the compiler's file could not be fetched); null if nothing failed so far. */
  readonly missingCompiler: ProgramPartError | null;
  /** Puts the problems of one source in the place of its earlier ones; of one mod alone when `mod` is given. */
  report(source: Problem["source"], problems: readonly Problem[], mod?: string): void;
  /** `missing`: the reason why the compiler is missing; null once it is there. */
  reportCompiler(missing: ProgramPartError | null): void;
}

export function createProblemsStore(): StoreApi<ProblemsState> {
  return createStore<ProblemsState>()((set) => ({
    problems: [],
    missingCompiler: null,
    reportCompiler: (missing) => set({ missingCompiler: missing }),
    report: (source, reported, mod) =>
      set(({ problems }) => {
        const stays = (problem: Problem) =>
          problem.source !== source || (mod !== undefined && problem.mod !== mod);
        const remaining = problems.filter(stays);
        if (remaining.length === problems.length && reported.length === 0) return {};
        return { problems: [...remaining, ...reported] };
      }),
  }));
}

/**
 * Shows the faults of a run at the lines of the mods that made them. Once a mod is edited, its faults and its compile
 * errors are removed.
 */
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { Problem } from "./problems-store.ts";
import type { Stores } from "./stores.ts";

/** Watches until the returned function is called. */
export function watchModFaults({ run, problems, mods }: Stores): () => void {
  let seen = { records: [] as readonly TraceRecord[], count: 0 };
  const stopRun = run.subscribe(({ trace, modIds }) => {
    if (trace.records !== seen.records) seen = { records: trace.records, count: 0 };
    const fresh = trace.records.slice(seen.count).flatMap((record) => faultOf(record, modIds));
    seen.count = trace.records.length;
    if (fresh.length === 0) return;
    const earlier = problems.getState().problems.filter(({ source }) => source === "run");
    problems.getState().report("run", [...earlier, ...fresh].slice(0, 100));
  });
  const stopMods = mods.subscribe((state, before) => {
    for (const mod of state.mods) {
      const old = before.mods.find(({ id }) => id === mod.id);
      if (!old || old.source === mod.source) continue;
      for (const source of ["run", "compile"] as const) problems.getState().report(source, [], mod.id);
    }
  });
  return () => {
    stopRun();
    stopMods();
  };
}

function faultOf(record: TraceRecord, modIds: readonly string[]): readonly Problem[] {
  if (record.type !== "modCall" || !record.fault) return [];
  const mod = modIds[record.mod];
  if (mod === undefined) return [];
  const { message, line, column } = record.fault;
  return [
    { mod, source: "run", message: `${message} (in ${record.event}(), step ${record.step})`, line, column },
  ];
}

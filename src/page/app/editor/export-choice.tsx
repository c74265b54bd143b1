/** Chooses which export of a mod's file runs. Shown if the file has several exports, or lacks the chosen one. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { ProgramPartError } from "../../../core/base/import-part.ts";
import type { UserMod } from "../store/mods-store.ts";
import { useStores } from "../store/stores.ts";

export function ModEntryChoice({ mod: { id, source, entry } }: { mod: UserMod }) {
  const { mods, engine, problems } = useStores();
  const { chooseExport } = useStore(mods);
  const [names, setNames] = useState<readonly string[] | null>(null);
  useEffect(() => {
    const replaced = new AbortController();
    engine.session.exportedNames(source, replaced.signal).then(setNames, (cause: unknown) => {
      if (cause instanceof ProgramPartError) problems.getState().reportCompiler(cause);
      // Otherwise there is nothing to choose: the choice no longer applies, or the next run reports the fault.
    });
    return () => replaced.abort();
  }, [engine, problems, source]);
  const chosen = entry ?? defaultExport;
  if (names === null || (names.length < 2 && names.includes(chosen))) return null;
  if (names.length === 0 && entry === null) return null;
  const isThere = names.includes(chosen);
  return (
    <label className="menu-choice">
      Exported mod to run
      <select
        className="field"
        value={chosen}
        onChange={({ target }) => chooseExport(id, target.value === defaultExport ? null : target.value)}
      >
        {!isThere && <option value={chosen}>{nameOf(chosen)}, not in the file</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {nameOf(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

const defaultExport = "default";

function nameOf(name: string): string {
  return name === defaultExport ? "the default export" : name;
}

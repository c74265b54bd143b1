/** Writes rules into a mod; the user can undo it. */
import type { Stores } from "../store/stores.ts";
import type { Rule } from "./rule.ts";
import { rulesSource } from "./rules-source.ts";

/** `id`: the mod that has the rules so far; null makes a new mod. */
export function saveRules({ mods, notices }: Stores, id: string | null, rules: readonly Rule[]): void {
  const source = rulesSource(rules);
  const { mods: all, add, setEnabled, open, remove } = mods.getState();
  const here = all.find((mod) => mod.id === id);
  if (!here) {
    const added = add("rules", source);
    const undo = () => void remove(added.id);
    notices
      .getState()
      .show(`Your rules were saved as the mod “${added.name}”.`, { label: "Undo", run: undo });
    return;
  }
  replaceSource({ mods, notices }, here.id, source, `The rules of “${here.name}” were saved.`);
  setEnabled([here.id], true);
  open(here.id);
}

/** Changes the source of a mod. Undo puts the earlier source back, unless the mod was edited since. */
export function replaceSource(
  { mods, notices }: Pick<Stores, "mods" | "notices">,
  id: string,
  source: string,
  text: string,
): void {
  const sourceNow = () => mods.getState().mods.find((mod) => mod.id === id)?.source;
  const before = sourceNow();
  if (before === undefined) return;
  mods.getState().edit(id, source);
  const undo = () => {
    if (sourceNow() === source) mods.getState().edit(id, before);
    else notices.getState().fail("Not undone: you have edited the mod since.");
  };
  notices.getState().show(text, { label: "Undo", run: undo });
}

/**
 * The name under which the user shares runs, and whether it is put into them. Apart from the settings, which go into workspaces and
 * so to others.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { longestMaker, makerFrom } from "../../../core/trace/file/maker.ts";
import type { PageStores } from "../store/page-stores.ts";
import { asRecord, asString, openStoredValue } from "../store/persist.ts";

export interface MakerState {
  /** As it was typed. */
  readonly name: string;
  readonly signs: boolean;
}

/** The same for all tabs of the browser. */
export function createMakerStore({
  storages: { browser },
  trouble,
}: Pick<PageStores, "storages" | "trouble">): StoreApi<MakerState> {
  const kept = openStoredValue({ browser, tab: browser }, "midtoken.maker.v1", parseMaker, trouble);
  const store = createStore<MakerState>()(() => kept.load() ?? { name: "", signs: false });
  store.subscribe(kept.save);
  return store;
}

/** The name that is put into what is shared; empty if none is. */
export function makerName({ name, signs }: MakerState): string {
  return signs ? makerFrom(name) : "";
}

function parseMaker(value: unknown): MakerState | null {
  const fields = asRecord(value);
  const name = asString(fields?.name);
  return name === null ? null : { name: name.slice(0, longestMaker), signs: fields?.signs === true };
}

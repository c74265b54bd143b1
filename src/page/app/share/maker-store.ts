/**
 * The name under which the user shares runs, and whether shared runs contain it. It is no setting, because settings go into
 * workspaces and so to other people.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { cleanMakerName, longestMakerName } from "../../../core/trace/file/maker.ts";
import type { PageStores } from "../store/page-stores.ts";
import { asRecord, asString, openStoredValue } from "../store/persist.ts";

export interface MakerNameState {
  /** The name as typed. */
  readonly name: string;
  readonly signs: boolean;
}

/** All tabs of the browser share this store. */
export function createMakerNameStore({
  storages: { browser },
  trouble,
}: Pick<PageStores, "storages" | "trouble">): StoreApi<MakerNameState> {
  const stored = openStoredValue({ browser, tab: browser }, "midtoken.maker.v1", parseMaker, trouble);
  const store = createStore<MakerNameState>()(() => stored.load() ?? { name: "", signs: false });
  store.subscribe(stored.save);
  return store;
}

/** The name that shared runs contain; empty if they contain none. */
export function makerName({ name, signs }: MakerNameState): string {
  return signs ? cleanMakerName(name) : "";
}

function parseMaker(value: unknown): MakerNameState | null {
  const fields = asRecord(value);
  const name = asString(fields?.name);
  return name === null ? null : { name: name.slice(0, longestMakerName), signs: fields?.signs === true };
}

/**
 * The name under which the user shares runs, and whether shared runs contain it. It is no setting, because settings go into
 * workspaces and so to other people.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { cleanAuthorName, longestAuthorName } from "../../../core/trace/file/maker.ts";
import type { PageStores } from "../store/page-stores.ts";
import { asRecord, asString, openStoredValue } from "../store/persist.ts";

export interface AuthorNameState {
  /** The name as typed. */
  readonly name: string;
  readonly signs: boolean;
}

/** The name is saved for all tabs of the browser; a tab reads it when the store is made. */
export function createAuthorNameStore({
  storages: { browser },
  trouble,
}: Pick<PageStores, "storages" | "trouble">): StoreApi<AuthorNameState> {
  const stored = openStoredValue({ browser, tab: browser }, "midtoken.maker.v1", parseMaker, trouble);
  const store = createStore<AuthorNameState>()(() => stored.load() ?? { name: "", signs: false });
  store.subscribe(stored.save);
  return store;
}

/** The name that shared runs contain; empty if they contain none. */
export function authorNameToShare({ name, signs }: AuthorNameState): string {
  return signs ? cleanAuthorName(name) : "";
}

function parseMaker(value: unknown): AuthorNameState | null {
  const fields = asRecord(value);
  const name = asString(fields?.name);
  return name === null ? null : { name: name.slice(0, longestAuthorName), signs: fields?.signs === true };
}

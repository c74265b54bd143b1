/** Fetches the code of forks and examples when the user first asks for one. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { Stores } from "./stores.ts";

let forking: typeof import("./fork.ts") | null = null;

/** Fetches the code of forks: the next fork then begins at once. */
export async function fetchForking(): Promise<NonNullable<typeof forking>> {
  forking ??= await importProgramPart("The code for forking", () => import("./fork.ts"), "forkIntoEditor");
  return forking;
}

/** Like `forkIntoEditor` of fork.ts. If the code cannot be fetched, nothing changes, and a notice says so. */
export async function forkIntoEditorLazily(
  stores: Stores,
  request: RequestRecord,
  from: string | null,
): Promise<boolean> {
  const before = stores.mods.getState().active;
  try {
    const { forkIntoEditor } = forking ?? (await fetchForking());
    return await keepOpenedMod(stores, before, () => forkIntoEditor(stores, request, from));
  } catch (cause) {
    stores.notices.getState().fail(`${messageOf(cause)} Nothing was changed: try again.`);
    return false;
  }
}

/** Puts an example of the gallery into the editor. Resolves with false if its code could not be fetched; a notice says so. */
export async function loadNamedExampleLazily(stores: Stores, name: string): Promise<boolean> {
  const before = stores.mods.getState().active;
  try {
    const load = () => import("./example-by-name.ts");
    const { loadNamedExample } = await importProgramPart("The examples", load, "loadNamedExample");
    keepOpenedMod(stores, before, () => loadNamedExample(stores, name));
    return true;
  } catch (cause) {
    stores.notices.getState().fail(messageOf(cause));
    return false;
  }
}

/**
 * Applies a change that opens a mod. If the user has opened another mod since `before` was open, while the code of the change
 * was fetched, the user's mod stays open.
 */
function keepOpenedMod<Result>({ mods }: Stores, before: string | null, change: () => Result): Result {
  const opened = mods.getState().active;
  const result = change();
  if (opened !== null && opened !== before) mods.getState().open(opened);
  return result;
}

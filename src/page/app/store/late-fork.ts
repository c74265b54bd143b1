/** Fetches the code of forks and examples when the user first asks for one. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { Stores } from "./stores.ts";

/** Like `forkIntoEditor` of fork.ts. If the code cannot be fetched, nothing changes, and a notice says so. */
export async function forkIntoEditorLazily(
  stores: Stores,
  request: RequestRecord,
  from: string | null,
): Promise<boolean> {
  try {
    const part = await importProgramPart("The code for forking", () => import("./fork.ts"), "forkIntoEditor");
    return await part.forkIntoEditor(stores, request, from);
  } catch (cause) {
    stores.notices.getState().fail(`${messageOf(cause)} Nothing was changed: try again.`);
    return false;
  }
}

/** Puts an example of the gallery into the editor. Resolves with false if its code could not be fetched; a notice says so. */
export async function loadNamedExampleLazily(stores: Stores, name: string): Promise<boolean> {
  try {
    const load = () => import("./example-by-name.ts");
    (await importProgramPart("The examples", load, "loadNamedExample")).loadNamedExample(stores, name);
    return true;
  } catch (cause) {
    stores.notices.getState().fail(messageOf(cause));
    return false;
  }
}

/** Fetches what sets the playground up as a recorded run was made, when the user first asks for it. */
import { importPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { Stores } from "./stores.ts";

/** As `fork` of fork.ts. If the code does not come, nothing changes, and a notice says so. */
export async function fork(stores: Stores, request: RequestRecord, from: string | null): Promise<boolean> {
  try {
    const part = await importPart("What takes over a run", () => import("./fork.ts"), "fork");
    return await part.fork(stores, request, from);
  } catch (cause) {
    stores.notices.getState().show(`${messageOf(cause)} Nothing was changed: try again.`);
    return false;
  }
}

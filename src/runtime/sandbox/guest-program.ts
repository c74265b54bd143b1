/** The guest's program, fetched when the first sandbox is made: the page shows itself without waiting for it. */
import { importPart } from "../../core/base/import-part.ts";

let fetched: Promise<string> | null = null;

/** @throws PartError when it cannot be fetched; the next call tries again. */
export function guestProgram(): Promise<string> {
  fetched ??= importPart(
    "The sandbox of the mods",
    () => import("virtual:sandbox-guest"),
    "guestProgram",
  ).then(
    (module) => module.guestProgram,
    (cause: unknown) => {
      fetched = null;
      throw cause;
    },
  );
  return fetched;
}

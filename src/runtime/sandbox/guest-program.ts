/** The guest's program. It is fetched when the first sandbox is made, so that the page need not wait for it. */
import { importProgramPart } from "../../core/base/import-part.ts";

let fetched: Promise<string> | null = null;

/** @throws ProgramPartError if it cannot be fetched; the next call tries again. */
export function loadGuestProgram(): Promise<string> {
  fetched ??= importProgramPart(
    "The mod sandbox",
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

/**
 * The code that reads and writes the traces of saved runs, with the unpacking and the checks. The page is shown without this code:
 * `fetchRunCodec` fetches all parts soon after the page is drawn, and a part that is needed earlier is fetched when it is needed.
 */
import { importProgramPart } from "../../core/base/import-part.ts";

export const runCodecLoaders = {
  reader: () =>
    importProgramPart(
      "The code that reads runs",
      () => import("../../core/trace/file/opening-model.ts"),
      "startOpeningFile",
    ),
  writer: () => importProgramPart("The code that saves runs", () => import("./run-to-save.ts"), "runToSave"),
  joiner: () =>
    importProgramPart(
      "The code that restores interrupted runs",
      () => import("./growing-run.ts"),
      "runOfPieces",
    ),
} as const;

/** Fetches all parts before they are needed, so that the page can read and save runs offline. A failure is reported at the first use. */
export async function fetchRunCodec(): Promise<void> {
  await Promise.allSettled(Object.values(runCodecLoaders).map((fetchPart) => fetchPart()));
}

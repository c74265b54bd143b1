/**
 * Reads a run from a file of any kind, and shows the run meanwhile; no code of the file runs. Fetched when the user opens a
 * file.
 */
import { messageOf } from "../../../core/base/message-of.ts";
import { layersCodec } from "../../../core/trace/codec/reading-layers.ts";
import {
  checkRunFileSize,
  fileHeadLength,
  traceFileIn,
} from "../../../core/trace/file/export-formats/export-format.ts";
import { startOpeningFile } from "../../../core/trace/file/opening-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { formatBytes } from "../../../view/ui/format.ts";
import { createPreviousRunRestorer } from "../store/open-run.ts";
import { readAndShowRun } from "../store/read-run.ts";
import { createImportedRunFields } from "../store/shown-run.ts";
import type { Stores } from "../store/stores.ts";
import { isModFile, openModFile } from "./open-mod-file.ts";
import { adviceForFile } from "./opened-files.ts";

/** Opens the file that the user chose: a run or a mod. A failure is shown as a notice. */
export async function openChosenFile(stores: Stores, file: File): Promise<void> {
  const { notices } = stores;
  const name = showInvisibleCharacters(file.name, 80);
  try {
    if (isModFile(file)) {
      await openModFile(stores, file);
      return;
    }
    checkRunFileSize(new Uint8Array(await file.slice(0, fileHeadLength).arrayBuffer()), file.size);
    const bytes = traceFileIn(new Uint8Array(await file.arrayBuffer()));
    const back = await readAndShowRun(stores, startOpeningFile(bytes, layersCodec), {
      what: `Reading and checking ${name} (${formatBytes(file.size)})`,
      about: createImportedRunFields(),
      file: bytes,
      wayBack: () => createPreviousRunRestorer(stores),
    });
    if (back) notices.getState().show("The file is open.", { label: "Back to the previous run", run: back });
  } catch (cause) {
    notices.getState().fail(`${name} was not opened. ${adviceForFile(file.name, messageOf(cause))}`);
  }
}

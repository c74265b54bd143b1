/** Actions on a vector: insert it into the open mod, make a mod of it, save it as a file, open a file. */
import { messageOf } from "../../../core/base/message-of.ts";
import { steeringVector } from "../../../core/sdk/steering-vector.ts";
import { insertVector, steeringModSource } from "../../../core/vectors/insert-vector.ts";
import {
  explainModelMismatch,
  parseVectorFile,
  type VectorWithMetadata,
  vectorFileLimits,
  vectorFileText,
  vectorNameOf,
} from "../../../core/vectors/known-vector.ts";
import type { PageActions } from "../page-actions.ts";
import { saveFile } from "../share/save-file.ts";
import { cleanModName } from "../store/mod-name.ts";
import type { Stores } from "../store/stores.ts";
import type { SavedVector, VectorsState } from "./vector-library.ts";

/** The scale of a first try: at 2 a style is clear, and a small model still writes sentences. */
const firstScale = 2;

/** Inserts the vector into the open mod, with a notice that says how to use it; into a new mod if none is open. */
export function insertVectorIntoMod(
  stores: Stores,
  vector: VectorWithMetadata,
  page: Pick<PageActions, "openLine">,
): void {
  const { mods, active, edit } = stores.mods.getState();
  const mod = mods.find(({ id }) => id === active);
  if (!mod) {
    steerWithNewMod(stores, vector, page);
    return;
  }
  const { source, constant, line, wasThere, steers } = insertVector(
    mod.source,
    vectorNameOf(steeringVector(vector.text)),
    vector.text,
    firstScale,
  );
  edit(mod.id, source);
  page.openLine(mod.id, line);
  const said = wasThere
    ? `${mod.name} already contains this vector, as ${constant}.`
    : `${mod.name} now contains this vector, as ${constant}.`;
  const next = wasThere ? null : "The comment beside the constant says how to steer with the vector.";
  const how = steers ? `The vector steers the next run, with a scale of ${firstScale}.` : next;
  stores.notices.getState().show(sentences(said, whyNot(stores, vector) ?? how), {
    label: "Undo",
    run() {
      const now = stores.mods.getState().mods.find(({ id }) => id === mod.id);
      if (now?.source === source) edit(mod.id, mod.source);
      else stores.notices.getState().fail(`Not undone: you have edited ${mod.name} since.`);
    },
  });
}

/** Makes a new mod that steers by the vector, and opens it in the editor. */
export function steerWithNewMod(
  stores: Stores,
  vector: VectorWithMetadata,
  page: Pick<PageActions, "openLine">,
): void {
  const name = vectorNameOf(steeringVector(vector.text));
  const mod = stores.mods
    .getState()
    .add(`steer-${cleanModName(name)}`, steeringModSource(name, vector.text, firstScale));
  page.openLine(mod.id, null);
  const why = whyNot(stores, vector);
  const said = why === null ? `${mod.name} steers the next run.` : `${mod.name} is now in the editor. ${why}`;
  stores.notices.getState().show(said, {
    label: "Undo",
    run: () => void stores.mods.getState().remove(mod.id),
  });
}

export function saveVectorFile(vector: VectorWithMetadata): void {
  const name = cleanModName(vectorNameOf(steeringVector(vector.text))) || "vector";
  saveFile(`${name}.vector.json`, new Blob([vectorFileText(vector)], { type: "application/json" }));
}

/** @throws Error that names the fault of the file. */
export async function importVector(file: File, library: VectorsState): Promise<SavedVector> {
  if (file.size > 4 * vectorFileLimits.file)
    throw new Error(
      `${file.name} was not opened, because it is too large for a vector file: choose a file that you saved in this dialog.`,
    );
  try {
    return library.add(parseVectorFile(await file.text()));
  } catch (cause) {
    throw new Error(`${file.name} was not opened. ${messageOf(cause)}`);
  }
}

function whyNot({ model }: Stores, vector: VectorWithMetadata): string | null {
  return explainModelMismatch(vector, model.getState().choice?.reference ?? null);
}

const sentences = (...all: readonly (string | null)[]) => all.filter((each) => each !== null).join(" ");

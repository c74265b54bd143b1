/** A model as it is named on a command line: a folder, an address, or an id of the hub. */
import { readdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { modelReferenceOf } from "../api/model-reference.ts";
import { dtypeSuffixes } from "../engine/dtype.ts";
import type { ModelReference } from "../session/models.ts";

/** What is taken of a folder that has several graphs: on WebAssembly these are the fastest first. */
const preferred = [
  "int8",
  "fp32",
  "q4",
  "uint8",
  "q8",
  "q4f16",
  "fp16",
  "bnb4",
] as const satisfies readonly (keyof typeof dtypeSuffixes)[];

/**
 * A path that begins with `.` or `/` or is there is a folder; other texts are as `modelReferenceOf` reads them.
 * @param dtype where none is given: what lies in the folder, else q4.
 * @throws Error, which says what to give, for a folder without a model; ApiError for what is no model.
 */
export async function modelOf(model: string, dtype?: string): Promise<ModelReference> {
  const isPath = /^(?:\.{0,2}\/|\.{1,2}$|[A-Za-z]:[\\/])/.test(model);
  const folder = resolve(model);
  const found = URL.canParse(model) && !isPath ? null : await stat(folder).catch(() => null);
  if (found === null && !isPath) return modelReferenceOf(model, dtype);
  if (!found?.isDirectory()) {
    throw new Error(
      `There is no folder ${folder}: give a model's folder, its address, or its id on the hub (owner/name).`,
    );
  }
  return modelReferenceOf(pathToFileURL(`${folder}/`).href, dtype ?? (await dtypeIn(folder)));
}

async function dtypeIn(folder: string): Promise<string> {
  const graphs = new Set(await readdir(resolve(folder, "onnx")).catch((): string[] => []));
  const dtype = preferred.find((each) => graphs.has(`model${dtypeSuffixes[each]}.onnx`));
  if (dtype) return dtype;
  throw new Error(
    `${folder} holds no model: there is no onnx/model.onnx in it, nor one of another dtype. Give the folder that holds config.json.`,
  );
}

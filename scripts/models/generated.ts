/** Generated models for benches and tests: made on first use, and cached in `.cache/models`, which git ignores. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { graphFilePath, writeModelFolder } from "./folder.ts";
import type { Precision } from "./graph.ts";
import type { GeneratedModelName } from "./shapes.ts";

const cache = join(import.meta.dirname, "../..", ".cache/models");

/** The folder of a generated model, whether it exists or not. */
export function generatedFolder(name: GeneratedModelName, layers?: number): string {
  return join(cache, layers === undefined ? name : `${name}-${layers}-layers`);
}

/**
 * The folder of a generated model with these precisions; missing graphs are made now. @throws Error if a file outside the
 * repository (tokenizer, real weights) is needed and missing
 */
export function ensureGeneratedModel(
  name: GeneratedModelName,
  precisions: readonly Precision[],
  layers?: number,
): string {
  const folder = generatedFolder(name, layers);
  const missing = precisions.filter((precision) => !existsSync(graphFilePath(folder, precision)));
  if (missing.length > 0) writeModelFolder({ name, folder, precisions: missing, layers });
  return folder;
}

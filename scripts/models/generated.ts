/** Generated models for benches and tests: made when they are first asked for, and kept in `.cache/models`, outside of git. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { graphFile, writeModelFolder } from "./folder.ts";
import type { Precision } from "./graph.ts";
import type { ModelName } from "./shapes.ts";

const cache = join(import.meta.dirname, "../..", ".cache/models");

/** Where a generated model lies, made or not. */
export function generatedFolder(name: ModelName, layers?: number): string {
  return join(cache, layers === undefined ? name : `${name}-${layers}-layers`);
}

/**
 * The folder of a generated model with these precisions; what is missing is made now.
 * @throws Error when a file outside the repository is needed (tokenizer, real weights) and is not there.
 */
export function generatedModel(name: ModelName, precisions: readonly Precision[], layers?: number): string {
  const folder = generatedFolder(name, layers);
  const missing = precisions.filter((precision) => !existsSync(graphFile(folder, precision)));
  if (missing.length > 0) writeModelFolder({ name, folder, precisions: missing, layers });
  return folder;
}

/** Embeddings whose code is loaded at the first call: few pages use them. */
import { importPart } from "../../../core/base/import-part.ts";
import type { LoadedModels } from "../loaded-models.ts";
import type { Embeddings } from "./embedding-types.ts";

export function createLateEmbeddings(models: LoadedModels): Embeddings {
  const create = async (...asked: Parameters<Embeddings["create"]>) => {
    const { createEmbeddings } = await importPart(
      "The embeddings API",
      () => import("./embeddings.ts"),
      "createEmbeddings",
    );
    return createEmbeddings(models).create(...asked);
  };
  // The overloads say in types which format gives which numbers.
  return { create: create as Embeddings["create"] };
}

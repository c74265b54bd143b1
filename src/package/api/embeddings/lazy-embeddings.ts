/** Loads the code of embeddings at the first call, because few pages use embeddings. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import type { LoadedModels } from "../loaded-models.ts";
import type { Embeddings } from "./embedding-types.ts";

export function createLazyEmbeddings(models: LoadedModels): Embeddings {
  const create = async (...asked: Parameters<Embeddings["create"]>) => {
    const { createEmbeddings } = await importProgramPart(
      "The embeddings API",
      () => import("./embeddings.ts"),
      "createEmbeddings",
    );
    return createEmbeddings(models).create(...asked);
  };
  // The type of the numbers depends on the format; the overloads express this in types.
  return { create: create as Embeddings["create"] };
}

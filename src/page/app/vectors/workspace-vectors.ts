/** The vectors in a workspace file. */
import {
  parseVectorWithMetadata,
  type VectorWithMetadata,
  vectorKeys,
} from "../../../core/vectors/known-vector.ts";
import type { WorkspacePart } from "../workspace/workspace-part.ts";
import { mostVectors, vectorLibraryOf } from "./vector-library.ts";

export const workspaceVectors: WorkspacePart<VectorWithMetadata> = {
  field: "vectors",
  noun: "vector",
  most: mostVectors,
  shape: {
    fields: vectorKeys.whole,
    within: {
      model: { fields: vectorKeys.model },
      texts: { fields: vectorKeys.texts },
    },
  },
  parse(value) {
    try {
      return parseVectorWithMetadata(value);
    } catch {
      return null;
    }
  },
  textOf: ({ text }) => text,
  entries: (stores) =>
    vectorLibraryOf(stores)
      .getState()
      .vectors.map(({ vector }) => vector),
  subscribe: (stores, onChange) => vectorLibraryOf(stores).subscribe(onChange),
  add(stores, vectors) {
    const library = vectorLibraryOf(stores).getState();
    // Adds the oldest first, so that the order stays the same.
    return vectors.toReversed().map((vector) => {
      const { id } = library.add(vector);
      return () => void library.remove(id);
    });
  },
};

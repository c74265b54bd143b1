/** Loads the parts of a workspace that features add. */
import { features } from "../features/features.ts";
import type { WorkspacePart } from "./workspace-part.ts";

export function loadWorkspaceParts(): Promise<readonly WorkspacePart[]> {
  return Promise.all(
    features.flatMap(({ loadWorkspacePart }) => (loadWorkspacePart ? [loadWorkspacePart()] : [])),
  );
}

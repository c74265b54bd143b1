/**
 * Addresses of models on the hub. Separate from the code that fetches files, because the page's first scripts need only the
 * addresses.
 */
import { hubHost } from "../../../core/base/hub-token.ts";

/** Address of a hub model's folder, ending in `/`. @throws Error when `id` is not `owner/name`. */
export function hubFolderAddress(id: string, revision = "main", host = hubHost): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(id) || id.includes("..")) {
    throw new Error(
      `"${id}" is not the id of a model on Hugging Face: ids look like HuggingFaceTB/SmolLM2-135M-Instruct.`,
    );
  }
  if (!/^[\w./-]+$/.test(revision) || revision.includes("..")) {
    throw new Error(`"${revision}" is not a revision: give a branch, a tag or a commit.`);
  }
  return `${host}/${id}/resolve/${encodeURIComponent(revision)}/`;
}

/** The address of a model whose folder the user picked: it names the model, and nothing is fetched from it. */
import type { ModelReference } from "../../../runtime/session/shared/protocol.ts";

export const pickedScheme = "picked-folder:";

export function isPickedFolder({ url }: Pick<ModelReference, "url">): boolean {
  return url.startsWith(pickedScheme);
}

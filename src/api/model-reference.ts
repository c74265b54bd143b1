/** A model as an app names it: what models.json has, an address, or an id of the hub. */
import { hubFolder, type ModelReference } from "../session/models.ts";
import { invalidRequest } from "./api-error.ts";

/**
 * A text is the address of a folder in Hugging Face's layout, from `base` on where it is relative (`/models/stories260k/`), or
 * `owner/name` on the hub. The id of a model that is given by its address is the last part of the address.
 * @throws ApiError, 400
 */
export function modelReferenceOf(
  model: ModelReference | string,
  dtype = "q4",
  base?: string,
): ModelReference {
  if (typeof model !== "string") return model;
  const both = { webgpu: dtype, wasm: dtype };
  if (/^[\w-][\w.-]*\/[\w.-]+$/.test(model)) {
    return { id: model, url: hubFolder(model), revision: "main", dtype: both };
  }
  const address = URL.canParse(model, base) ? new URL(model, base) : null;
  const id = address?.pathname.split("/").findLast((part) => part !== "");
  if (!address || !id) {
    throw invalidRequest(
      `"${model}" is no model: give the address of its folder (https://… or /models/name/), or owner/name for one of the hub.`,
      "model",
    );
  }
  if (!address.pathname.endsWith("/")) address.pathname += "/";
  return { id: decodeURIComponent(id), url: address.href, revision: null, dtype: both };
}

/** Makes the reference to the model that an app names: by an address, by an id of the hub, or by a reference, which is checked. */
import { type HubAccess, type HubToken, parseHubToken } from "../../core/base/hub-token.ts";
import { redactInvalidAddress } from "../../core/base/invalid-address.ts";
import { type OptionKeys, refuseUnknownKeys } from "../../core/base/known-keys.ts";
import { messageOf } from "../../core/base/message-of.ts";
import { isRecord } from "../../core/base/record.ts";
import { showJson } from "../../core/base/show.ts";
import { dtypeNames, isDtype } from "../../runtime/engine/base/dtype.ts";
import { hubFolderAddress } from "../../runtime/engine/base/hub-folder.ts";
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import type { DevicePreference } from "../../runtime/session/shared/protocol.ts";
import { ApiError, invalidRequestError } from "./api-error.ts";

/**
 * A text is the address of a folder in Hugging Face's layout (`/models/stories260k/`; `base` is the base of relative
 * addresses), or `owner/name` on the hub. The id of a model given by its address is the last part of the address.
 * @param dtype of the weights, for a text: a reference has its own; "auto" is resolved when the model is loaded.
 * @throws ApiError, 400
 */
export function modelReferenceOf(
  model: ModelReference | string,
  dtype = "auto",
  base?: string,
): ModelReference {
  if (typeof model !== "string") return checkedReference(model);
  checkDtype(dtype);
  const both = { webgpu: dtype, wasm: dtype };
  if (isHubId(model)) {
    return { id: model, url: hubFolderAddress(model), revision: "main", dtype: both };
  }
  const address = URL.canParse(model, base) ? new URL(model, base) : null;
  const id = address?.pathname.split("/").findLast((part) => part !== "");
  if (!address || !id) {
    throw invalidRequestError(
      `${showJson(redactInvalidAddress(model))} is not a model: give the address of a model's folder (https://… or /models/name/), or owner/name for a model on Hugging Face.`,
      "model",
    );
  }
  if (!address.pathname.endsWith("/")) address.pathname += "/";
  return { id: decodeURIComponent(id), url: address.href, revision: null, dtype: both };
}

const isHubId = (model: string): boolean => /^[\w-][\w.-]*\/[\w.-]+$/.test(model);

/** The error if a model's files cannot be found or read, with a hint if a folder of the site may have been meant. */
export function modelReadFailedError(error: unknown, model: ModelReference | string): ApiError {
  return new ApiError(`${messageOf(error)}${hubHint(model)}`, {
    status: 503,
    type: "engine_error",
    code: "model_not_loaded",
    param: "model",
    cause: error,
  });
}

function hubHint(model: ModelReference | string): string {
  if (typeof model !== "string" || !isHubId(model)) return "";
  return ` (Midtoken looked for "${model}" on Hugging Face. For a folder of this site, write "./${model}/" or "/${model}/".)`;
}

/** @throws ApiError, 400 */
function checkDtype(dtype: unknown): void {
  if (dtype === "auto" || isDtype(dtype)) return;
  throw invalidRequestError(
    `dtype is ${showJson(dtype)}: write "auto" or one of ${dtypeNames.join(", ")}.`,
    "dtype",
  );
}

const referenceKeys: OptionKeys<ModelReference> = {
  id: true,
  url: true,
  revision: true,
  dtype: true,
  server: true,
};

/** @throws ApiError, 400 */
function checkKeys<Value extends object>(value: Value, known: OptionKeys<Value>, path: string): void {
  refuseUnknownKeys(value, Object.keys(known), path, (message) =>
    invalidRequestError(`The model's reference: ${message}`, "model"),
  );
}

/** Redacted before the value is shortened for a message: a shortened address may lack the `@` behind its password. */
function withoutSecrets(given: unknown): unknown {
  if (!isRecord(given)) return given;
  const redact = (value: unknown) => (typeof value === "string" ? redactInvalidAddress(value) : value);
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, redact(value)]));
}

/** Checks a value from an app without types. @throws ApiError, 400 */
function checkedReference(model: ModelReference): ModelReference {
  const given: unknown = model;
  const isModel =
    isRecord(given) &&
    [given.id, given.url].every((text) => typeof text === "string" && text !== "") &&
    isRecord(given.dtype);
  if (isModel) {
    checkKeys(model, referenceKeys, "");
    checkKeys(model.dtype, { webgpu: true, wasm: true }, "dtype");
    checkDtype(model.dtype.webgpu);
    checkDtype(model.dtype.wasm);
    return model;
  }
  const problem =
    given === undefined ? "No model was given" : `${showJson(withoutSecrets(given))} is not a model`;
  throw invalidRequestError(
    `${problem}: give an address, a Hugging Face id, or { id, url, revision, dtype: { webgpu, wasm } }.`,
    "model",
  );
}

/** @throws ApiError, 400, which never contains the token */
export function hubAccessOf(token: HubToken | undefined): HubAccess | null {
  if (token === undefined) return null;
  try {
    return parseHubToken(token);
  } catch (error) {
    throw invalidRequestError(messageOf(error), "hubToken");
  }
}

const devices: readonly DevicePreference[] = ["auto", "webgpu", "wasm"];

/** @throws ApiError, 400 */
export function checkDevice(device: DevicePreference): void {
  if (devices.includes(device)) return;
  throw invalidRequestError(`device is ${showJson(device)}: write "auto", "webgpu" or "wasm".`, "device");
}

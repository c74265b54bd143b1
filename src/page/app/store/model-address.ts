/** Turns the user's text for a model into a reference. Pure. */
import { redactInvalidAddress } from "../../../core/base/invalid-address.ts";
import type { ModelReference } from "../../../runtime/session/shared/protocol.ts";

const hub = "https://huggingface.co/";
/**
 * A reference without a choice of weights, or a sentence that says what is wrong with the text. `base`: the address of the
 * page.
 */
export function parseModelReference(text: string, base: string): ModelReference | string {
  const dtype = { webgpu: "auto", wasm: "auto" };
  const typed = text.trim();
  const hubId =
    /^(?:https:\/\/huggingface\.co\/)?([\w.-]+\/[\w.-]+?)(?:\/tree\/([\w./-]+)|@([\w.-]+))?\/?$/.exec(typed);
  if (hubId?.[1] && !typed.startsWith(".")) {
    const revision = hubId[2] ?? hubId[3] ?? "main";
    return { id: hubId[1], url: `${hub}${hubId[1]}/resolve/${revision}/`, revision, dtype };
  }
  if (!/^(https?:\/\/|\.{0,2}\/)/.test(typed)) {
    return `“${redactInvalidAddress(typed)}” is neither a Hugging Face id like owner/name nor an address that begins with https://.`;
  }
  let url: URL;
  try {
    url = new URL(typed, base);
  } catch {
    return `“${redactInvalidAddress(typed)}” is not an address.`;
  }
  url.hash = "";
  url.search = "";
  url.pathname = `${url.pathname.replace(/\/(config\.json)?$/, "")}/`;
  // Another server with the hub's addresses.
  const [, onHub, revision] = /\/([\w.-]+\/[\w.-]+)\/resolve\/([^/]+)\/$/.exec(url.pathname) ?? [];
  if (onHub && revision) return { id: onHub, url: url.href, revision: decodeURIComponent(revision), dtype };
  const id = url.pathname.split("/").filter(Boolean).at(-1) ?? url.host;
  return { id, url: url.href, revision: null, dtype };
}

/** URI references, as far as `$id` and `$ref` need them (RFC 3986, 5.2; JSON pointers: RFC 6901). */

import type { Json } from "../normal-form.ts";
import { isArray, isObject } from "./json-value.ts";

const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split("/");
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    if (segment === "..") {
      if (kept.length > 1) kept.pop();
      if (last) kept.push("");
    } else if (segment !== ".") kept.push(segment);
    else if (last) kept.push("");
  }
  return kept.join("/");
}

/** Resolves `reference` against `base`; neither has a fragment. */
export function resolveUri(base: string, reference: string): string {
  if (reference === "") return base;
  if (scheme.test(reference)) return reference;
  const authority = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(\/\/[^/?]*)?/.exec(base);
  const [root = "", ofScheme = ""] = authority ?? [];
  if (reference.startsWith("//")) return ofScheme + reference;
  if (reference.startsWith("/")) return root + withoutDots(reference);
  const path = base.slice(root.length).replace(/\?.*$/s, "");
  if (reference.startsWith("?")) return root + path + reference;
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const merged = folder === "" && root.includes("//") ? `/${reference}` : folder + reference;
  return root + withoutDots(merged);
}

/** The parts before and after the first "#"; `fragment` is null if there is no "#". */
export function splitFragment(reference: string): { uri: string; fragment: string | null } {
  const hash = reference.indexOf("#");
  if (hash < 0) return { uri: reference, fragment: null };
  const raw = reference.slice(hash + 1);
  let fragment = raw;
  try {
    fragment = decodeURIComponent(raw);
  } catch {
    // The reference is not percent-encoded: it is used unchanged.
  }
  return { uri: reference.slice(0, hash), fragment };
}

/** One step of a JSON pointer, escaped for a path. */
export function pointerStep(name: string | number): string {
  const text = String(name);
  return /[~/]/.test(text) ? `/${text.replaceAll("~", "~0").replaceAll("/", "~1")}` : `/${text}`;
}

/** The value at a JSON pointer ("", "/a/0"), and each name on the way; undefined if there is none. */
export function followPointer(root: Json, pointer: string): { value: Json; names: string[] } | undefined {
  const names = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let value = root;
  for (const name of names) {
    const inside = isArray(value) ? /^(?:0|[1-9]\d*)$/.test(name) : isObject(value);
    if (!inside || !Object.hasOwn(value as object, name)) return undefined;
    value = (value as Record<string, Json>)[name] as Json;
  }
  return { value, names };
}

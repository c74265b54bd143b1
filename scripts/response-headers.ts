/** Headers of all responses, which restrict what a browser may do with them. */
import { extname } from "node:path";
import { crossOriginIsolationHeaders } from "../src/core/base/isolation.ts";
import { pageCspText } from "./vite-csp.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
  ".png": "image/png",
};

type Headers = Readonly<Record<string, string>>;

const forAll: Headers = {
  "x-content-type-options": "nosniff",
  // Only pages of this server may load it; other pages learn nothing, not even its size.
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

/** Headers of data that must never act as a page: no origin, no script, no fetch. */
export const dataHeaders: Headers = {
  ...forAll,
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
};

/**
 * Headers of a file of the page. Documents carry the page's policy, with the rule that nobody may frame them, which a `<meta>`
 * element cannot state. Worker scripts need the isolation headers as well.
 */
export function pageFileHeaders(file: string): Headers {
  const type = types[extname(file)] ?? "application/octet-stream";
  const policy = { "content-security-policy": `${pageCspText}; frame-ancestors 'none'` };
  return {
    ...forAll,
    ...crossOriginIsolationHeaders,
    "content-type": type,
    ...(type.startsWith("text/html") ? policy : {}),
  };
}

/** Headers of a file of a model, written by strangers: the page may fetch it, and a user can only download it. */
export function modelFileHeaders(file: string): Headers {
  const type = extname(file) === ".json" ? types[".json"] : undefined;
  return {
    ...dataHeaders,
    "content-type": type ?? "application/octet-stream",
    "content-disposition": "attachment",
  };
}

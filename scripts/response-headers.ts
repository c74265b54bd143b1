/** What the server says of every answer, so that a browser takes nothing for more than it is. */
import { extname } from "node:path";
import { isolationHeaders } from "../src/core/base/isolation.ts";
import { pagePolicyText } from "./vite-csp.ts";

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
  // Only pages of this server may load it; another one learns nothing, not even a size.
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

/** Of what is data and must never become a page: no origin, no script, no fetch. */
export const dataHeaders: Headers = {
  ...forAll,
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
};

/**
 * A file of the page. Documents carry the page's policy, and what a `<meta>` cannot say: that nobody may frame it. Scripts of
 * workers need the headers of isolation as much as documents do.
 */
export function pageFileHeaders(file: string): Headers {
  const type = types[extname(file)] ?? "application/octet-stream";
  const policy = { "content-security-policy": `${pagePolicyText}; frame-ancestors 'none'` };
  return {
    ...forAll,
    ...isolationHeaders,
    "content-type": type,
    ...(type.startsWith("text/html") ? policy : {}),
  };
}

/** A file of a model's folder, which strangers wrote: to be fetched by the page, and by the user only as a download. */
export function modelFileHeaders(file: string): Headers {
  const type = extname(file) === ".json" ? types[".json"] : undefined;
  return {
    ...dataHeaders,
    "content-type": type ?? "application/octet-stream",
    "content-disposition": "attachment",
  };
}

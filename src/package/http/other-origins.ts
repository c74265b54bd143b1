/** Decides which pages of other sites may send requests, and sets the headers that let their browsers read the response. */

import { showJson } from "../../core/base/show.ts";
import { ApiError } from "../api/api-error.ts";

/** Origins exactly as browsers send them, for example `https://example.com`, `chrome-extension://ID`, `tauri://localhost`, or `null` for pages that belong to no site. "*": all pages. */
export type AllowedOrigins = readonly string[] | "*";

/** The reason why no browser would send this origin, with what to write instead; null if a browser may send it. */
export function originProblem(value: string): string | null {
  if (value === "null" || value === "*" || isOrigin(value)) return null;
  const meant = URL.canParse(value) ? new URL(value).origin : "null";
  return isOrigin(meant)
    ? `write ${meant}`
    : 'give a site without a path (https://example.com), an app (app://name), "null" for pages without an origin, or "*" for every page';
}

/** Whether the text is an origin with a scheme and a host. */
function isOrigin(value: string): boolean {
  const [, scheme, host = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@*,\\\s\u007f-\uffff]*)$/.exec(value) ?? [];
  if (scheme === "http" || scheme === "https") return URL.canParse(value) && new URL(value).origin === value;
  // Some browsers inside apps send "file://" for pages from files.
  return scheme !== undefined && (host !== "" || value === "file://");
}

/** @throws TypeError for an origin that no browser would send: it would never match. */
export function checkOrigins(origins: AllowedOrigins): void {
  for (const origin of origins === "*" ? [] : origins) {
    const problem = originProblem(origin);
    if (problem !== null)
      throw new TypeError(`Browsers do not send the origin ${showJson(origin)}: ${problem}.`);
  }
}

/**
 * The origin of the requested address. Not `URL.origin`, which is "null" for the schemes of apps: pages without a site send
 * the same word.
 */
function originOf(address: string): string {
  const { origin, protocol, host } = new URL(address);
  return origin === "null" ? `${protocol}//${host}` : origin;
}

/** Headers of a response that clients in pages may read. */
const exposedHeaders = [
  "x-request-id",
  "x-should-retry",
  "retry-after",
  ...["requests", "tokens"].flatMap((what) =>
    ["limit", "remaining", "reset"].map((kind) => `x-ratelimit-${kind}-${what}`),
  ),
].join(", ");

/**
 * Headers for the response to a request; none if the request comes from the site itself, or from no page.
 * @throws ApiError, 403, for a page whose origin is not allowed: it could use this machine, and register mods.
 */
export function corsHeadersFor(request: Request, allowed: AllowedOrigins): Readonly<Record<string, string>> {
  const origin = request.headers.get("origin");
  if (origin === null || origin === originOf(request.url)) return {};
  if (!allowed.includes("*") && !allowed.includes(origin)) {
    throw new ApiError(
      `Pages of ${origin} may not send requests to this server: add that origin to the allowed origins.`,
      {
        status: 403,
        type: "invalid_request_error",
        code: "origin_not_allowed",
      },
    );
  }
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": exposedHeaders,
    vary: "origin",
  };
}

/** The headers for a preflight request. */
export function preflightHeaders(
  request: Request,
  methods: readonly string[],
): Readonly<Record<string, string>> {
  return {
    "access-control-allow-methods": methods.join(", "),
    // OpenAI's client sends a dozen headers of its own, so all requested headers are allowed.
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "content-type",
    "access-control-max-age": "600",
    // Chromium sends this header before a page from the web may access an address of this machine or its network.
    ...(request.headers.get("access-control-request-private-network") === "true" && {
      "access-control-allow-private-network": "true",
    }),
  };
}

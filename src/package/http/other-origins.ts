/** Pages of other sites: who may ask, and the headers that let their browsers read the answer. */

import { showJson } from "../../core/base/show.ts";
import { ApiError } from "../api/api-error.ts";

/**
 * Origins exactly as browsers send them, for example `https://example.com`, `chrome-extension://ID`, `tauri://localhost` or
 * `null`, which pages have that belong to no site. "*": every page.
 */
export type AllowedOrigins = readonly string[] | "*";

/** Why no browser would send this origin, with what to write; null if a browser may send it. */
export function originProblem(value: string): string | null {
  if (value === "null" || value === "*" || isOrigin(value)) return null;
  const meant = URL.canParse(value) ? new URL(value).origin : "null";
  return isOrigin(meant)
    ? `write ${meant}`
    : 'give a site as https://example.com, without a path, an app as app://name, "null", or "*" for every page';
}

/** Whether the text has the shape of an origin with a scheme and a host. */
function isOrigin(value: string): boolean {
  const [, scheme, host = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@*,\\\s\u007f-\uffff]*)$/.exec(value) ?? [];
  if (scheme === "http" || scheme === "https") return URL.canParse(value) && new URL(value).origin === value;
  // Some browsers inside apps send "file://" for pages of files.
  return scheme !== undefined && (host !== "" || value === "file://");
}

/** @throws TypeError for an origin that no browser would send: it would never match. */
export function checkOrigins(origins: AllowedOrigins): void {
  for (const origin of origins === "*" ? [] : origins) {
    const problem = originProblem(origin);
    if (problem !== null)
      throw new TypeError(`The origin ${showJson(origin)} is not one that browsers send: ${problem}.`);
  }
}

/**
 * The origin of the requested address. `URL.origin` is "null" for the schemes of apps, and pages without a site send
 * that word.
 */
function originOf(address: string): string {
  const { origin, protocol, host } = new URL(address);
  return origin === "null" ? `${protocol}//${host}` : origin;
}

/** Headers that clients in pages read beside the body. */
const exposedHeaders = [
  "x-request-id",
  "x-should-retry",
  "retry-after",
  ...["requests", "tokens"].flatMap((what) =>
    ["limit", "remaining", "reset"].map((kind) => `x-ratelimit-${kind}-${what}`),
  ),
].join(", ");

/**
 * Headers for the answer to a request; none if it comes from the site itself, or from no page.
 * @throws ApiError, 403, for a page that may not ask: it could use this machine, and put mods of its own there.
 */
export function originHeaders(request: Request, allowed: AllowedOrigins): Readonly<Record<string, string>> {
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

/** The answer to a browser that asks beforehand. */
export function preflightHeaders(
  request: Request,
  methods: readonly string[],
): Readonly<Record<string, string>> {
  return {
    "access-control-allow-methods": methods.join(", "),
    // OpenAI's client sends a dozen headers of its own.
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "content-type",
    "access-control-max-age": "600",
    // Chromium asks so before a page of the web may reach an address of this machine or its network.
    ...(request.headers.get("access-control-request-private-network") === "true" && {
      "access-control-allow-private-network": "true",
    }),
  };
}

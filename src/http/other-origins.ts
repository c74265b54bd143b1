/** Pages of other sites: who may ask, and the headers that let their browsers read the answer. */
import { ApiError } from "../api/api-error.ts";

/** Origins, as `https://example.com`; "*": every site. */
export type AllowedOrigins = readonly string[] | "*";

/**
 * Headers for the answer to a request; none where it comes from the site itself, or from no page.
 * @throws ApiError, 403, for a page that may not ask: it could use this machine, and put mods of its own there.
 */
export function originHeaders(request: Request, allowed: AllowedOrigins): Readonly<Record<string, string>> {
  const origin = request.headers.get("origin");
  if (origin === null || origin === new URL(request.url).origin) return {};
  if (allowed !== "*" && !allowed.includes(origin)) {
    throw new ApiError(`Pages of ${origin} may not ask here: name that origin among the allowed ones.`, {
      ...{ status: 403, type: "invalid_request_error", code: "origin_not_allowed" },
    });
  }
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "x-request-id",
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
  };
}

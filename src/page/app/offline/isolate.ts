/**
 * Isolation on hosts that cannot send the headers for it, such as GitHub Pages: the service worker adds the headers to its
 * responses.
 */
import { crossOriginIsolationHeaders } from "../../../core/base/isolation.ts";

/**
 * The response with the missing headers added. Headers of the host stay. A response that cannot be copied stays as it
 * is: a redirect or a failure has no headers to read.
 */
export function addIsolationHeaders(response: Response): Response {
  if (response.status === 0) return response;
  const missing = Object.entries(crossOriginIsolationHeaders).filter(([name]) => !response.headers.has(name));
  if (missing.length === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of missing) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

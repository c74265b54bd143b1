/** Features that browsers withhold from pages at insecure addresses: https://w3c.github.io/webappsec-secure-contexts/ */

/**
 * A sentence that says why `feature` is missing on an insecure page, for example "This page is at http://box.local, and
 * browsers give WebGPU only to pages at https:// or localhost."
 * @returns null if the address is not the reason: in secure pages, their workers, and outside browsers.
 */
export function explainInsecurePage(feature: string): string | null {
  const { isSecureContext, origin } = globalThis as { isSecureContext?: boolean; origin?: string };
  if (isSecureContext !== false) return null;
  return `Browsers offer ${feature} only to pages at https:// or localhost, but this page is at ${origin}. Open the page at an https:// address or at localhost.`;
}

/** Fetches the text of a script, so that it can be started from an address of this page. */

/** Whether the browser lets this page start a worker from this address. */
export function isSameOriginAddress(address: string): boolean {
  return new URL(address).origin === globalThis.location.origin;
}

/** @throws Error that says what the server sent instead, as a part of a sentence that ends with a full stop. */
export async function fetchScript(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`its server answered ${response.status}.`);
  const type = response.headers.get("content-type") ?? "";
  if (/html/i.test(type)) {
    throw new Error(
      "its server answered with an HTML page instead of a script, as many servers do for an unknown address.",
    );
  }
  return response.text();
}

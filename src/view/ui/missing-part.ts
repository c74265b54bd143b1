/** Finds out why a file of the page cannot be fetched. */

/**
 * `offline`: the server does not answer. `updated`: the server has another version of the page. `missing`: the server has this
 * version, but not the file; or the server answers even for the page with an error.
 */
export type MissingReason = "offline" | "updated" | "missing";

/** @param page the page's address; its HTML names the page's first script, which differs in every version. */
export async function findMissingReason(
  page: string = document.baseURI,
  entry: string | null = entryOf(document),
): Promise<MissingReason> {
  try {
    const response = await fetch(page.replace(/#.*$/, ""), { cache: "no-store" });
    if (!response.ok) return "missing";
    const current = new DOMParser().parseFromString(await response.text(), "text/html");
    return entryOf(current) === entry ? "missing" : "updated";
  } catch {
    return "offline";
  }
}

function entryOf(page: Document): string | null {
  return page.querySelector("script[type=module][src]")?.getAttribute("src") ?? null;
}

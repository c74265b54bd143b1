/** Finds out why a file of the page cannot be fetched, and fetches a stylesheet again that failed. */

/**
 * `offline`: the server does not answer. `updated`: the server has another version of the page. `missing`: it has this
 * version, but not the file.
 */
export type MissingReason = "offline" | "updated" | "missing";

/** @param page the page's address; its HTML names the page's first script, which differs in every version. */
export async function whyMissing(
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

/**
 * Fetches the stylesheet on which an `import()` failed, under a new address, because Vite asks for each address only once.
 * @throws `cause` where it is not about a stylesheet, or where the stylesheet still cannot be fetched.
 */
export async function fetchMissingStyles(cause: unknown): Promise<void> {
  const address = cause instanceof Error ? /unable to preload css for (\S+)/i.exec(cause.message)?.[1] : null;
  if (!address) throw cause;
  await new Promise<void>((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = `${address}?again=${Date.now()}`;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(cause);
    };
    document.head.append(link);
  });
}

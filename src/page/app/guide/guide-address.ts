/** The guide's place in the address: `#guide`, and `#guide/events` for a section of it. */

const prefix = "#guide";

/** Id of the section that a fragment names, "" for the guide's beginning; null if it names something else. */
export function parseGuideFragment(hash: string): string | null {
  if (hash === prefix) return "";
  return hash.startsWith(`${prefix}/`) ? hash.slice(prefix.length + 1) : null;
}

export const guideAddress = (section: string): string => (section === "" ? prefix : `${prefix}/${section}`);

/** Takes the guide out of the address, when it is closed. */
export function leaveGuideAddress(): void {
  if (parseGuideFragment(location.hash) !== null)
    history.replaceState(null, "", location.pathname + location.search);
}

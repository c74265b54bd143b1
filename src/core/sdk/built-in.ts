/** Mods that Midtoken adds to a request. A trace lists them like other mods; the first line of their source identifies them. */

/** First line of the source of the mod that enforces a request's tools and response format. */
export const requestFormatModMark = "// Built in: this comes with the request, not from one of your mods.";

/** First line of the source of the mod that bans the request's `banned_strings`. */
export const banningModMark = "// The texts that this request bans, as a mod.";

/** Whether a setting of the request made the mod (`banned-strings.ts`), and not a person. */
export function isBanningMod({ source }: { readonly source: string }): boolean {
  return source.startsWith(banningModMark);
}

/** Whether Midtoken made the mod to enforce the request's tools or response format; otherwise somebody wrote it. */
export function isRequestFormatMod({ source }: { readonly source: string }): boolean {
  return source.startsWith(requestFormatModMark);
}

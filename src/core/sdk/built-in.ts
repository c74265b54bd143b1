/** Mods that come with the page: they are in a trace as others are, told by the first line of their source. */

/** First line of the source of every mod that comes with the page. */
export const builtInMark = "// Built in: this comes with the request, not from one of your mods.";

/** First line of the source of the mod that keeps the request's banned texts out. */
export const banningMark = "// The texts that this request bans, as a mod.";

/** Whether a setting of the request made the mod (`banned-strings.ts`), and not a person. */
export function isBanning({ source }: { readonly source: string }): boolean {
  return source.startsWith(banningMark);
}

/** Is it what kept the request's tools or response format, and not a mod that someone wrote? */
export function isBuiltIn({ source }: { readonly source: string }): boolean {
  return source.startsWith(builtInMark);
}

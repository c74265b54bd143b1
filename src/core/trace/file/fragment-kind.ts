/**
 * Recognises the content of an address's fragment by its beginning. Separate from `fragment.ts`, because this
 * question needs no codec.
 */

/** `t`: a recorded run. `s`: a setup, which has the request of a run without its output. */
export type FragmentKind = "t" | "s";

/**
 * The kind of content in a fragment (with or without its `#`), in this or a later format version; null for any other fragment.
 */
export function fragmentKind(fragment: string): FragmentKind | null {
  const [, kind] = /^#?([ts])\d+\./.exec(fragment) ?? [];
  return kind === "t" || kind === "s" ? kind : null;
}

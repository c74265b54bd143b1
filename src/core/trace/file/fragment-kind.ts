/**
 * Recognises the content of an address's fragment by its beginning. Separate from `fragment.ts`, because this
 * question needs no codec.
 */

/** `t`: a recorded run. `s`: a setup, which is what a run was asked, without what came of it. */
export type FragmentKind = "t" | "s";

/**
 * The kind of content in a fragment, in this or a later way of writing it; null for any other fragment. With or
 * without its `#`.
 */
export function fragmentKind(fragment: string): FragmentKind | null {
  const [, kind] = /^#?([ts])\d+\./.exec(fragment) ?? [];
  return kind === "t" || kind === "s" ? kind : null;
}

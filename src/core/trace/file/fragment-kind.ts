/** What the fragment of an address holds, told by how it begins. Apart from `fragment.ts`, since whoever only asks needs no codec. */

/** `t`: a recorded run. `s`: a setup, which is what a run was asked, without what came of it. */
export type FragmentKind = "t" | "s";

/** What a fragment holds, in this or a later way of writing it; null for any other fragment. With or without its `#`. */
export function fragmentKind(fragment: string): FragmentKind | null {
  const [, kind] = /^#?([ts])\d+\./.exec(fragment) ?? [];
  return kind === "t" || kind === "s" ? kind : null;
}

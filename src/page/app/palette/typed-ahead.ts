/** Keys that the user presses after Ctrl+K, while the palette's code is fetched. The palette types them when it opens. */
export const typedAhead: string[] = [];

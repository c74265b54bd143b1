/** Endings of the files that the page opens: runs, what carries runs, and mods. */
export const openedFiles = ".trace,.html,.png,.ts,.js";

/** Endings of the files that the page opens: runs, files that contain runs, and mods. */
export const openedFiles = ".trace,.html,.png,.ts,.js";

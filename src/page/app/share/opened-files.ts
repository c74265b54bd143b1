/** Endings of the files that the page opens: runs, files that contain runs, and mods. */
export const openableFileEndings = ".trace,.html,.png,.ts,.js";

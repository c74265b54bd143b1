/** Endings of the files that the page opens: runs, files that contain runs, and mods. */
export const openableFileEndings = ".trace,.html,.png,.ts,.js";

/** The advice about a file that was not opened: for a file of another kind the kinds that can be opened, otherwise `cause`. */
export function adviceForFile(name: string, cause: string): string {
  const lower = name.toLowerCase();
  if (openableFileEndings.split(",").some((ending) => lower.endsWith(ending))) return cause;
  return "Choose a recorded run (.trace), a web page or picture that contains a run (.html, .png), or a mod (.ts, .js).";
}

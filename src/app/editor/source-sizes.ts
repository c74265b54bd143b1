/** What the editor does for a source depends on its size: Monaco colours, pairs and draws on the page's own thread. */

/**
 * Characters of a source that has colours, brackets and checks while it is written. A megabyte takes Monaco seconds for
 * them; a gallery mod has 3,000 characters.
 */
export const longestColoured = 65_536;

/** Characters of a line that are drawn and coloured; the rest of it stands behind a button. */
export const longestLine = 2000;

/** The first line of a mod that rules wrote. In a file of its own, since the page's first scripts look for this line. */
export const rulesMark =
  '// Made with "Rules". That panel can change this mod until someone edits the code by hand.';

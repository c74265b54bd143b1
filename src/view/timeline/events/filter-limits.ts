/** The most that a filter may have, in UTF-16 units. */
export const longestFilter = 1000;
export const longestFilterName = 60;

/** The most that a filter may have, in UTF-16 units. */
export const maxFilterLength = 1000;
export const maxFilterNameLength = 60;

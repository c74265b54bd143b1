/** `midtoken/flow`: hidden questions, and flows of them. Listed by hand; at most 25 names. */
export {};

/** The compiled file is a classic script that calls this function with the module: no eval is needed to load it. */
export const defineName = "midtokenDefine";

/** Stands on the file's first line, so that the numbers of all lines stay the same. */
export const opening = `${defineName}(function (exports, require) {`;

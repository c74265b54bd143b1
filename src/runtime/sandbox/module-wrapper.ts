/** The compiled file is a classic script that calls this function with the module: no eval is needed to load it. */
export const defineName = "midtokenDefine";

/** On the file's first line, so that all lines stay what they are. */
export const opening = `${defineName}(function (exports, require) {`;

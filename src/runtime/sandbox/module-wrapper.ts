/** The compiled file is a classic script that calls this function with the module, so no eval is needed to load it. */
export const defineFunctionName = "midtokenDefine";

/** Written on the file's first line, so that line numbers do not change. */
export const moduleOpening = `${defineFunctionName}(function (exports, require) {`;

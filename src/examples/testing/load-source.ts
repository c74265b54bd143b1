/** Loads a mod from its text, as the sandbox does, without the sandbox: only for texts of this repository. */
import { transform } from "sucrase";
import * as sdk from "../../sdk/index.ts";

/** @throws what the file throws, and SyntaxError for text that is no TypeScript. */
export function loadSource(source: string): Record<string, unknown> {
  const { code } = transform(source, { transforms: ["typescript", "imports"] });
  const exports: Record<string, unknown> = {};
  const require = (name: string): unknown => {
    if (name === "midtoken/mod") return sdk;
    throw new Error(`A mod imports "${name}": only "midtoken/mod" is there.`);
  };
  new Function("require", "exports", code)(require, exports);
  return exports;
}

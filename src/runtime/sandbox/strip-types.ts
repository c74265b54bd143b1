/** Removes the types from a TypeScript module. */
import { transform } from "sucrase/dist/esm/index.js";

/** Keeps all line numbers. @throws the parser's error, with line and column in its message */
export function stripTypes(source: string): string {
  return transform(source, { transforms: ["typescript"], disableESTransforms: true }).code;
}

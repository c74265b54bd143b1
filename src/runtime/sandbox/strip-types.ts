/** TypeScript without its types, a module as it was. */
import { transform } from "sucrase/dist/esm/index.js";

/** Lines stay what they are. @throws SyntaxError-like errors of the parser, with line and column in their message. */
export function stripTypes(source: string): string {
  return transform(source, { transforms: ["typescript"], disableESTransforms: true }).code;
}

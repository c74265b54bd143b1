/** Sucrase ships types for its parser, but not where the parser is. */
declare module "sucrase/dist/esm/parser/index.js" {
  export * from "sucrase/dist/types/parser/index";
}
declare module "sucrase/dist/esm/parser/tokenizer/types.js" {
  export * from "sucrase/dist/types/parser/tokenizer/types";
}
declare module "sucrase/dist/esm/parser/tokenizer/keywords.js" {
  export * from "sucrase/dist/types/parser/tokenizer/keywords";
}

/** Sucrase ships types for its modules, but in another folder than the modules. */
declare module "sucrase/dist/esm/index.js" {
  export * from "sucrase/dist/types/index";
}
declare module "sucrase/dist/esm/parser/index.js" {
  export * from "sucrase/dist/types/parser/index";
}
declare module "sucrase/dist/esm/parser/tokenizer/index.js" {
  export * from "sucrase/dist/types/parser/tokenizer/index";
}
declare module "sucrase/dist/esm/parser/tokenizer/types.js" {
  export * from "sucrase/dist/types/parser/tokenizer/types";
}
declare module "sucrase/dist/esm/parser/tokenizer/keywords.js" {
  export * from "sucrase/dist/types/parser/tokenizer/keywords";
}
declare module "sucrase/dist/esm/parser/traverser/base.js" {
  export * from "sucrase/dist/types/parser/traverser/base";
}

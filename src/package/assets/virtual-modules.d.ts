/** Files in the folder of the importing file, under names that `scripts/package` gives them when it writes them. */
declare module "midtoken:plain-runtime" {
  import type { PlainRuntime } from "../../runtime/engine/ort/ort-wasm-module.ts";

  const create: PlainRuntime["create"];
  export default create;
}
declare module "midtoken:transformers" {
  import type { TransformersPackage } from "../../runtime/engine/ort/runtime-parts.ts";

  export const AutoConfig: TransformersPackage["AutoConfig"];
  export const AutoModelForCausalLM: TransformersPackage["AutoModelForCausalLM"];
  export const AutoModelForImageTextToText: TransformersPackage["AutoModelForImageTextToText"];
  export const DynamicCache: TransformersPackage["DynamicCache"];
  export const Tensor: TransformersPackage["Tensor"];
  export const env: TransformersPackage["env"];
}
declare module "midtoken:engine-worker-source" {
  export const source: string;
}
declare module "midtoken:compile-worker-source" {
  export const source: string;
}
declare module "midtoken:runtime-source" {
  export const script: string;
  /** The binary, compressed with gzip, as base64. */
  export const wasm: string;
}

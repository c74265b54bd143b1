/** @huggingface/transformers. load-runtime.ts imports it on demand: few models need it. */
export * from "@huggingface/transformers";

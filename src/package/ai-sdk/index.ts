/** `midtoken/ai-sdk`: a provider for Vercel's AI SDK. */
export { MidtokenLanguageModel } from "./language-model.ts";
export { type MidtokenIntervention, type MidtokenMetadata, readMidtokenMetadata } from "./metadata.ts";
export { createMidtoken, type MidtokenProvider } from "./provider.ts";
export type { MidtokenProviderOptions } from "./provider-options.ts";

/** The versions of the AI SDK that this provider supports. */

/** An export that only version 4 and later of `@ai-sdk/provider` has (the version of AI SDK 7). */
const onlyInNewest = "NoSuchProviderReferenceError";

/**
 * Checks the version, because AI SDK 5 and 6 refuse a provider of version 4 without saying what to do.
 * @param provider exports of the installed `@ai-sdk/provider`
 * @throws Error that says what to install.
 */
export function checkProviderVersion(provider: object): void {
  if (onlyInNewest in provider) return;
  throw new Error(
    "midtoken/ai-sdk needs AI SDK 7, but the installed @ai-sdk/provider is for AI SDK 5 or 6. To upgrade, run: npm install ai@7 @ai-sdk/provider@4. To stay with AI SDK 5 or 6, install @ai-sdk/openai-compatible@1 (for AI SDK 5) or @ai-sdk/openai-compatible@2 (for AI SDK 6), and use createFetchHandler from midtoken/openai as its fetch: docs/embed.md has the code.",
  );
}

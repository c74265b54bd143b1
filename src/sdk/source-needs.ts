/** What a mod's source reads beyond what the mod declares: seen from its text, before it runs. */

/**
 * Errs on the side of yes, since what is not sent cannot be read: any mention counts, except in comments
 * that begin a line. `source` is TypeScript or JavaScript.
 */
export function readSourceNeeds(source: string): {
  readonly logits: boolean;
  readonly conversation: boolean;
} {
  const code = source.replace(/^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm, "");
  return { logits: /\blogits\b/.test(code), conversation: /\bgetConversation\b/.test(code) };
}

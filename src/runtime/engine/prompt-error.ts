/** A conversation cannot become a prompt. The message is for the user. */
export class PromptError extends Error {
  override readonly name = "PromptError";
}

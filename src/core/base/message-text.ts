/** The text of a message in OpenAI's form, in requests and in traces. */

interface MessageWithContent {
  /** A text, or parts, of which only those with a text count. */
  readonly content: string | readonly { readonly text?: string }[] | null;
}

/** The texts of the message's content, joined; "" if there are none. */
export function textOfMessage({ content }: MessageWithContent): string {
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
}

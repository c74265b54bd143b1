import { mod, requestState } from "midtoken/mod";

const block = /<information>([\s\S]*?)<\/information>\s*/;
const secret = requestState(() => "");

// The model never reads the block; the mod keeps it, and puts it behind the answer.
export default mod({
  prefilled(event, actions, tokenizer) {
    const text = tokenizer.decode(event.tokens, { special: true });
    secret.current = block.exec(text)?.[1]?.trim() ?? "";
    if (secret.current === "") return;
    // Special tokens stand in the text by name: each part between them is read as text.
    const parts = text.replace(block, "").split(/(<\|[a-z_]+\|>)/);
    const specials = new Map(event.tokens.map((token) => [tokenizer.tokenText(token), token]));
    return actions.adjustPrefill(
      parts.flatMap((part) => {
        const special = part.startsWith("<|") ? specials.get(part) : undefined;
        return special === undefined ? tokenizer.encode(part) : [special];
      }),
    );
  },
  added(event, actions) {
    if (!event.isEos || secret.current === "") return;
    const note = `\n\n(Kept from the model: ${secret.current})`;
    secret.current = "";
    return actions.backtrack(1, note);
  },
});

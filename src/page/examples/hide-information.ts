import { mod, requestState } from "midtoken/mod";

const block = /<information>([\s\S]*?)<\/information>\s*/;
const secret = requestState(() => "");

// The mod removes the block from the prompt, so that the model never reads it, and writes its content after the answer.
export default mod({
  maxBacktrack: 1,
  prefilled(event, actions) {
    secret.current = block.exec(event.text)?.[1]?.trim() ?? "";
    return actions.adjustPrefill({ replace: [block, ""] });
  },
  added(event, actions) {
    if (!event.isEos || secret.current === "") return;
    const note = `\n\n(Hidden from the model: ${secret.current})`;
    secret.current = "";
    return actions.backtrack(1, note);
  },
});

import { mod, requestState } from "midtoken/mod";

const block = /<information>([\s\S]*?)<\/information>\s*/;
const secret = requestState(() => "");

// The model never reads the block; the mod keeps it, and puts it behind the answer.
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

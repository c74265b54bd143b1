import { mod, requestState } from "midtoken/mod";

const twist = " But then it began to rain.";
const sentences = requestState(() => 0);

export default mod({
  added(event, actions) {
    if (event.forced || !event.text.endsWith(".")) return;
    sentences.current += 1;
    if (sentences.current !== 2) return;
    console.log("The second sentence is complete.");
    return actions.forceTokens(twist);
  },
});

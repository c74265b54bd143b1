import { getConversation, mod, toolCallPairs } from "midtoken/mod";

export default mod({
  prefilled(_event, actions) {
    const isAnswered = toolCallPairs().some(({ answer }) => answer !== null);
    const question = getConversation().at(-1)?.content;
    if (!isAnswered) return actions.toolCalls([{ name: "search", arguments: { query: question } }]);
  },
});

import { getConversation, mod } from "midtoken/mod";

// Answer a question about the weather with a tool call, before the model has computed anything.
export default mod({
  prefilled(_event, actions) {
    const question = getConversation().at(-1)?.content;
    if (typeof question !== "string") return;
    const city = /weather in ([A-Z]\w+)/.exec(question)?.[1];
    if (city) return actions.toolCalls({ name: "get_weather", arguments: { city } });
  },
});

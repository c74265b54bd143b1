import { end, flow, question, tool } from "midtoken/flow";
import { getConversation } from "midtoken/mod";
import { regex } from "midtoken/strategies";

const asked = () => getConversation().at(-1)?.content;

const kind = question({
  name: "kind",
  prompt: () =>
    [
      'Question: "Tell me a story." Tool: none',
      'Question: "Is it cold in Oslo?" Tool: weather',
      'Question: "What time is it in Lima?" Tool: time',
      'Question: "Write a poem." Tool: none',
      `Question: "${asked()}" Tool: `,
    ].join("\n"),
  responses: ["weather", "time", "none"],
  erase: "all",
  temperature: 0,
});
const city = question({
  name: "city",
  prompt: () =>
    `"Is it cold in Oslo?" City: Oslo.\n"What time is it in Lima now?" City: Lima.\n"${asked()}" City: `,
  strategy: regex(/[A-Z][a-z]{2,12}( [A-Z][a-z]{2,12})?/),
  erase: "all",
  temperature: 0,
});

kind.on("none", end());
kind.then(city);
city.then(tool(({ answers }) => ({ name: `get_${answers.kind}`, arguments: { city: answers.city } })));

export default flow({ entry: kind }).asMod();

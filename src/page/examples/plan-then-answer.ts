import { flow, question } from "midtoken/flow";
import { list, until } from "midtoken/strategies";

const plan = question({
  name: "plan",
  prompt: "My plan:\n",
  strategy: list(until({ start: "- ", end: ".", maxTokens: 20 }), { separator: "\n", min: 3, max: 3 }),
  completion: "\n\nThe answer:\n",
});

export default flow({ entry: plan }).asMod();

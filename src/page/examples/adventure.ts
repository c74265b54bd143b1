import { type FlowAnswer, flow, message, question } from "midtoken/flow";

const place = question({
  name: "place",
  prompt: ", a dog went to the",
  responses: [" park", " beach", " forest"],
  completion: ".",
});
const find = question({
  name: "find",
  prompt: " There he found a",
  responses: [" ball", " bone", " bird", " box"],
  erase: "all",
  temperature: 2,
});
const foundIn = (history: readonly FlowAnswer[]) => [
  ...new Set(history.filter(({ question }) => question === "find").map(({ answer }) => answer)),
];

// The mod asks the second question again, hidden, until the dog has found two different things.
place.then(find);
find.branch(({ history }) => (foundIn(history).length < 2 && history.length < 12 ? find : undefined));
find.then(({ history }) => message(` There he found a ${foundIn(history).join(" and a ")}.`));

export default flow({ entry: place }).asMod();

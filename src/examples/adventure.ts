import { flow, message, question } from "midtoken/flow";

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

// The same question again, unseen, until the dog has found two different things.
place.then(find);
find.branch(({ history }) => (foundIn(history).length < 2 && history.length < 12 ? find : undefined));
find.otherwise(({ history }) => message(` There he found a ${foundIn(history).join(" and a ")}.`));

type Answers = readonly { readonly question: string; readonly answer: string }[];

function foundIn(history: Answers): readonly string[] {
  return [...new Set(history.filter(({ question }) => question === "find").map(({ answer }) => answer))];
}

export default flow({ entry: place }).asMod();

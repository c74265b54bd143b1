/** Gallery: structured answers. */
import chainStory from "../chain-story.ts?raw";
import characterSheet from "../character-sheet.ts?raw";
import checkJson from "../check-json.ts?raw";
import inventAName from "../invent-a-name.ts?raw";
import jsonAnswer from "../json-answer.ts?raw";
import packABag from "../pack-a-bag.ts?raw";
import pickAnAnimal from "../pick-an-animal.ts?raw";
import shortJson from "../short-json.ts?raw";
import { type Example, example, oneUserMessage } from "./example.ts";

export const structuredAnswerExamples: readonly Example[] = [
  example({
    name: "pick-an-animal",
    title: "Pick an animal",
    description: "Lets the model choose one of four animals, and nothing else.",
    source: pickAnAnimal,
    maxTokens: 48,
  }),
  example({
    name: "pack-a-bag",
    title: "Pack a bag",
    description: "Asks for a list of two to four things: the model picks them and says when it is done.",
    source: packABag,
  }),
  example({
    name: "invent-a-name",
    title: "Invent a name",
    description: "Asks for a name that matches a regular expression: the name must contain a z.",
    source: inventAName,
    maxTokens: 48,
  }),
  example({
    name: "chain-story",
    title: "A sentence from a grammar",
    description:
      "Makes the first sentence follow a recursive grammar: “a big dog who saw a little cat who liked a bird”.",
    source: chainStory,
  }),
  example({
    name: "character-sheet",
    title: "Answer in JSON: character sheet",
    description:
      "Makes even the story model answer in JSON: the model chooses the values, and everything else is forced.",
    source: characterSheet,
    maxTokens: 120,
  }),
  example({
    name: "json-answer",
    title: "Answer in JSON",
    description: "Makes the answer match a JSON Schema with a string, a number and a list.",
    source: jsonAnswer,
    suggestedPrompt: oneUserMessage("Tom is 34 years old. He plays football and reads books."),
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "check-json",
    title: "Check JSON as it is written",
    description: "Checks a block of JSON as it is written, and takes back each token that makes it invalid.",
    source: checkJson,
    suggestedPrompt: oneUserMessage(
      "Describe a cat in JSON with name, age and color. Answer with a ```json block only.",
    ),
    model: "instruct",
    maxTokens: 100,
  }),
  example({
    name: "short-json",
    title: "Short strings in JSON",
    description: "Reads the request’s JSON Schema, and limits the length of each string in the answer.",
    source: shortJson,
    suggestedPrompt: oneUserMessage("Describe the sea."),
    schema: {
      type: "object",
      properties: { title: { type: "string" }, summary: { type: "string" } },
      required: ["title", "summary"],
      additionalProperties: false,
    },
    model: "instruct",
    maxTokens: 60,
  }),
];

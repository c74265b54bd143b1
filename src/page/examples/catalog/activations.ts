/** Gallery: inside the pass. Vectors and layers are those of the model that an entry names. */
import borrowACity from "../borrow-a-city.ts?raw";
import gloomySentence from "../gloomy-sentence.ts?raw";
import moodSlider from "../mood-slider.ts?raw";
import noticeFood from "../notice-food.ts?raw";
import refusalDial from "../refusal-dial.ts?raw";
import stopWhenUnsure from "../stop-when-unsure.ts?raw";
import { type Example, example, oneUserMessage } from "./example.ts";

export const activationExamples: readonly Example[] = [
  example({
    name: "stop-when-unsure",
    title: "Stop when unsure",
    description:
      "Stops the answer before the model guesses: the model is not sure who Springfield’s first mayor was.",
    source: stopWhenUnsure,
    suggestedPrompt: oneUserMessage("Who was the first mayor of Springfield?"),
    model: "instruct",
    maxTokens: 48,
  }),
  example({
    name: "gloomy-sentence",
    title: "One gloomy sentence",
    description: "Steers only the second sentence with a vector, which makes that sentence gloomy.",
    source: gloomySentence,
    suggestedPrompt: oneUserMessage("Describe the street outside."),
    model: "instruct",
    maxTokens: 72,
  }),
  example({
    name: "mood-slider",
    title: "From gloom to cheer",
    description:
      "Raises a vector’s scale with every token: the street begins unforgiving, and ends all too happy.",
    source: moodSlider,
    suggestedPrompt: oneUserMessage("Describe the street outside."),
    model: "instruct",
    maxTokens: 120,
  }),
  example({
    name: "borrow-a-city",
    title: "A city from another text",
    description:
      "Patches the model’s hidden state from one text into another: now the Eiffel Tower is in the city of Rome.",
    source: borrowACity,
    suggestedPrompt: oneUserMessage("Tell me about a building."),
    model: "instruct",
    maxTokens: 24,
  }),
  example({
    name: "notice-food",
    title: "Notice the topic",
    description:
      "Uses a vector to tell whether a question is about food: the answer about pancakes begins with “Let us eat!”.",
    source: noticeFood,
    suggestedPrompt: oneUserMessage("Give me a recipe for pancakes."),
    model: "instruct",
    maxTokens: 32,
  }),
  example({
    name: "refusal-dial",
    title: "Refuse with one direction",
    description:
      "Adds a direction, so the model refuses to say how to boil an egg; with a scale below 0 it refuses less.",
    source: refusalDial,
    suggestedPrompt: oneUserMessage("How do I boil an egg?"),
    model: "instruct",
    maxTokens: 32,
  }),
];

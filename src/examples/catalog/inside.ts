/** Gallery: inside the pass. Vectors and layers are those of the model that an entry names. */
import borrowACity from "../borrow-a-city.ts?raw";
import cheerfulSentence from "../cheerful-sentence.ts?raw";
import moodSlider from "../mood-slider.ts?raw";
import noticeFood from "../notice-food.ts?raw";
import refusalDial from "../refusal-dial.ts?raw";
import stopWhenUnsure from "../stop-when-unsure.ts?raw";
import { type Example, example, says } from "./example.ts";

export const inside: readonly Example[] = [
  example({
    name: "stop-when-unsure",
    title: "Stop when unsure",
    description: "Ends the answer before a word that no layer but the last would say, at less than 50 %.",
    source: stopWhenUnsure,
    suggestedPrompt: says("Who was the first mayor of Springfield?"),
    model: "instruct",
    maxTokens: 48,
  }),
  example({
    name: "cheerful-sentence",
    title: "One cheerful sentence",
    description: "Steers the second sentence by a vector, and no other.",
    source: cheerfulSentence,
    suggestedPrompt: says("Describe the street outside."),
    model: "instruct",
    maxTokens: 72,
  }),
  example({
    name: "mood-slider",
    title: "From gloom to cheer",
    description: "Raises the scale of a vector with every token, from gloomy to cheerful.",
    source: moodSlider,
    suggestedPrompt: says("Describe the street outside."),
    model: "instruct",
    maxTokens: 120,
  }),
  example({
    name: "borrow-a-city",
    title: "A city from another text",
    description:
      "Puts what the model knows at one text’s last word into another text, and moves the Eiffel Tower.",
    source: borrowACity,
    suggestedPrompt: says("Tell me about a building."),
    model: "instruct",
    maxTokens: 24,
  }),
  example({
    name: "notice-food",
    title: "Notice the topic",
    description: "Tells by a vector whether the question is about food, and begins the answer accordingly.",
    source: noticeFood,
    suggestedPrompt: says("Give me a recipe for pancakes."),
    model: "instruct",
    maxTokens: 32,
  }),
  example({
    name: "refusal-dial",
    title: "A refusal by one direction",
    description: "Makes the model refuse a harmless question; with a scale below 0, a refusal goes.",
    source: refusalDial,
    suggestedPrompt: says("How do I boil an egg?"),
    model: "instruct",
    maxTokens: 32,
  }),
];

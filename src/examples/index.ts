/** The gallery: complete mods, shown in the editor as text. Each does what it says on the model it names. */
import type { Message } from "midtoken/mod";
import banToken from "./ban-token.ts?raw";
import banWord from "./ban-word.ts?raw";
import callATool from "./call-a-tool.ts?raw";
import changeItsMind from "./change-its-mind.ts?raw";
import happyEnding from "./happy-ending.ts?raw";
import moodSwings from "./mood-swings.ts?raw";
import plotTwist from "./plot-twist.ts?raw";
import renameHero from "./rename-hero.ts?raw";
import replaceInPrompt from "./replace-in-prompt.ts?raw";
import replacePhrase from "./replace-phrase.ts?raw";
import secondThoughts from "./second-thoughts.ts?raw";
import skeleton from "./skeleton.ts?raw";
import skeletonFunction from "./skeleton-function.ts?raw";
import startWith from "./start-with.ts?raw";
import stopAtAnswer from "./stop-at-answer.ts?raw";
import waitAMinute from "./wait-a-minute.ts?raw";
import weatherTool from "./weather-tool.ts?raw";

export interface Example {
  /** File name without its ending; a mod's name in the model string. */
  readonly name: string;
  readonly title: string;
  /** One plain sentence. */
  readonly description: string;
  /** TypeScript, as written. */
  readonly source: string;
  /** A prompt that shows the effect. */
  readonly suggestedPrompt: readonly Message[];
  /** The bundled story model, or any instruct model. */
  readonly model: "bundled" | "instruct";
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
}

function says(content: string): readonly Message[] {
  return [{ role: "user", content }];
}

const once = says("Once upon a time");
const isTheSkyBlue = says("Is the sky blue? Answer yes or no.");

export const examples: readonly Example[] = [
  {
    name: "skeleton",
    title: "Skeleton",
    description: "Looks at each event and changes nothing: a place to start.",
    source: skeleton,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 24,
    temperature: 0,
    seed: 7,
  },
  {
    name: "skeleton-function",
    title: "Skeleton, one function",
    description: "The same as one function for all events, narrowed by their type.",
    source: skeletonFunction,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 24,
    temperature: 0,
    seed: 7,
  },
  {
    name: "replace-in-prompt",
    title: "Replace a phrase in the prompt",
    description: "Turns the little girl of the prompt into a brave dog before the model reads it.",
    source: replaceInPrompt,
    suggestedPrompt: says("Once upon a time, there was a little girl"),
    model: "bundled",
    maxTokens: 48,
    temperature: 0,
    seed: 7,
  },
  {
    name: "start-with",
    title: "Start with your words",
    description: "Forces the first sentence; the model goes on from there.",
    source: startWith,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 64,
    temperature: 0,
    seed: 7,
  },
  {
    name: "plot-twist",
    title: "Plot twist",
    description: "Forces a sentence after the second one: suddenly it rains.",
    source: plotTwist,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 80,
    temperature: 0,
    seed: 7,
  },
  {
    name: "ban-token",
    title: "Ban a token",
    description: "Takes one token, the name Lily, out of every step.",
    source: banToken,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 48,
    temperature: 0,
    seed: 7,
  },
  {
    name: "ban-word",
    title: "Ban a word, however it is spelled",
    description: "Bans every token that would complete the word ball: the girl finds something else.",
    source: banWord,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 64,
    temperature: 0,
    seed: 7,
  },
  {
    name: "replace-phrase",
    title: "Replace a phrase",
    description: "Takes back “big, red ball” when the model has written it, and puts a frog in its place.",
    source: replacePhrase,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 64,
    temperature: 0,
    seed: 7,
  },
  {
    name: "stop-at-answer",
    title: "Stop at the answer",
    description: "Ends the request with just the name, as soon as the story tells it.",
    source: stopAtAnswer,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 64,
    temperature: 0,
    seed: 7,
  },
  {
    name: "call-a-tool",
    title: "Call a tool",
    description: "Asks for the weather when the story goes outside.",
    source: callATool,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 64,
    temperature: 0,
    seed: 7,
  },
  {
    name: "rename-hero",
    title: "Rename the hero",
    description: "Catches the name Lily before it is written, and writes Max.",
    source: renameHero,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 64,
    temperature: 0,
    seed: 7,
  },
  {
    name: "happy-ending",
    title: "Happy ending",
    description: "Takes back the end of the story and writes a better one.",
    source: happyEnding,
    suggestedPrompt: says("Once upon a time, there was a brave dog"),
    model: "bundled",
    maxTokens: 240,
    temperature: 0,
    seed: 7,
  },
  {
    name: "mood-swings",
    title: "Mood swings",
    description: "Sets the temperature of each step by how sure the model is.",
    source: moodSwings,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 80,
    temperature: 1,
    seed: 7,
  },
  {
    name: "second-thoughts",
    title: "Second thoughts",
    description: "Takes back every unlikely token and chooses again without it.",
    source: secondThoughts,
    suggestedPrompt: once,
    model: "bundled",
    maxTokens: 64,
    temperature: 1.2,
    seed: 7,
  },
  {
    name: "wait-a-minute",
    title: "Wait a minute",
    description: "Takes back the end of the answer once, and makes the model think again.",
    source: waitAMinute,
    suggestedPrompt: isTheSkyBlue,
    model: "instruct",
    maxTokens: 48,
    temperature: 0,
    seed: 7,
  },
  {
    name: "change-its-mind",
    title: "Change its mind",
    description: "Takes back a No and makes the model argue for Yes.",
    source: changeItsMind,
    suggestedPrompt: isTheSkyBlue,
    model: "instruct",
    maxTokens: 48,
    temperature: 0,
    seed: 7,
  },
  {
    name: "weather-tool",
    title: "Tool call from the question",
    description: "Answers a question about the weather with a tool call, before anything is computed.",
    source: weatherTool,
    suggestedPrompt: says("What is the weather in Paris today?"),
    model: "instruct",
    maxTokens: 32,
    temperature: 0,
    seed: 7,
  },
];

/** Gallery: steer the next token. */
import banToken from "../ban-token.ts?raw";
import banWord from "../ban-word.ts?raw";
import moodSwings from "../mood-swings.ts?raw";
import noEmDash from "../no-em-dash.ts?raw";
import secondThoughts from "../second-thoughts.ts?raw";
import { type Example, emDashPrompt, example } from "./example.ts";

export const probabilityExamples: readonly Example[] = [
  example({
    name: "ban-token",
    title: "Ban a token",
    description: "Bans one token, the name Lily, at every step.",
    source: banToken,
    maxTokens: 48,
  }),
  example({
    name: "ban-word",
    title: "Ban a word, however it is split",
    description: "Bans every token that would complete the word “ball”; the model then writes another word.",
    source: banWord,
  }),
  example({
    name: "no-em-dash",
    title: "No em dash",
    description: "Bans every token that contains an em dash.",
    source: noEmDash,
    suggestedPrompt: emDashPrompt,
    model: "instruct",
    maxTokens: 32,
  }),
  example({
    name: "mood-swings",
    title: "Mood swings",
    description: "Sets the temperature at each step, based on how sure the model is.",
    source: moodSwings,
    maxTokens: 80,
    temperature: 1,
  }),
  example({
    name: "second-thoughts",
    title: "Second thoughts",
    description: "Takes back every unlikely token and chooses again without it.",
    source: secondThoughts,
    temperature: 1.2,
  }),
];

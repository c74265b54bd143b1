/** Puts a gallery mod to work: it alone takes part, with the prompt and settings that show its effect. All of it can be undone. */
import type { Example } from "../../examples/index.ts";
import type { AnswerSettings } from "./answer-settings.ts";
import { offerUndo } from "./offer-undo.ts";
import { putToWork } from "./put-to-work.ts";
import type { Stores } from "./stores.ts";
import { turnsOf } from "./turns.ts";

export function takeExample(stores: Stores, example: Example): void {
  const { conversation, settings } = stores;
  const { turns: before } = conversation.getState();
  const { change, changeSampling, changeAnswer } = settings.getState();
  offerUndo(stores, {
    text: `${example.title} is in the editor, with its prompt and settings; your other mods are switched off.`,
    mods: putToWork(stores.mods, [
      { name: example.name, source: example.source, needs: example.model === "instruct" ? "instruct" : null },
    ]),
    turns: { before, undo: conversation.getState().replace(turnsOf(example.suggestedPrompt)) },
    others: [
      change({ maxTokens: example.maxTokens, seed: example.seed }),
      changeSampling({ temperature: example.temperature }),
      changeAnswer(answerOf(example)),
    ],
  });
}

/** The response format and the tools of an example. Where it has none, the texts that the user typed stay for later. */
function answerOf({ schema, tools }: Example): Partial<AnswerSettings> {
  return {
    format: schema ? "schema" : "text",
    ...(schema && { schema: JSON.stringify(schema, null, 2) }),
    offersTools: tools.length > 0,
    ...(tools.length > 0 && { tools: JSON.stringify(tools, null, 2), toolChoice: "auto" }),
  };
}

/** Puts a mod of the gallery into the editor, alone or with its example prompt and settings. The user can undo both. */
import type { Example } from "../../examples/index.ts";
import type { AnswerFormatSettings } from "./answer-settings.ts";
import { markEditorReplaced } from "./earlier-runs.ts";
import { offerUndo } from "./offer-undo.ts";
import { enableOnlyMods, isCopyOf } from "./put-to-work.ts";
import type { Stores } from "./stores.ts";
import { messagesToTurns } from "./turns.ts";

/** Adds a mod and switches it on. Prompt, settings and other mods stay as they are. A copy that the list already has is used again. */
export function addExampleMod(
  { mods, notices }: Stores,
  example: Pick<Example, "name" | "title" | "source" | "model">,
): void {
  const { name, title, source, model } = example;
  const { mods: before, active, add, open, setEnabled, remove } = mods.getState();
  const here = before.find((mod) => isCopyOf(mod, { name, source }));
  const added = here ?? add(name, source, { needs: model === "instruct" ? "instruct" : null });
  open(added.id);
  setEnabled([added.id], true);
  const undo = () => {
    if (!here) remove(added.id);
    else if (!here.enabled) setEnabled([added.id], false);
    if (active !== null) open(active);
  };
  notices
    .getState()
    .show(`Added ${title}. The prompt and settings are unchanged.`, { label: "Undo", run: undo });
}

/** Adds a mod that changes nothing yet. */
export function addBlankMod(stores: Stores): void {
  addExampleMod(stores, { name: "mod", title: "a blank mod", source: blankSource, model: "bundled" });
}

const blankSource = `import { mod } from "midtoken/mod";

export default mod({
  added(event, actions) {
    // event.text is the text that was just written. Return an action to change it.
  },
});
`;

/** Switches on the example alone, with the prompt and settings that show its effect. */
export function loadExampleIntoEditor(stores: Stores, example: Example): void {
  const { conversation, settings, run, compare } = stores;
  const { turns: before } = conversation.getState();
  // Above the run stands that the editor now has something else; a comparison has no such line.
  compare.getState().end();
  markEditorReplaced(run.getState().trace);
  const { change, changeSampling, changeAnswer } = settings.getState();
  offerUndo(stores, {
    text: `${example.title} is in the editor with its example prompt and settings. Your other mods are switched off.`,
    mods: enableOnlyMods(stores.mods, [
      { name: example.name, source: example.source, needs: example.model === "instruct" ? "instruct" : null },
    ]),
    turns: { before, undo: conversation.getState().replace(messagesToTurns(example.suggestedPrompt)) },
    others: [
      change({ maxTokens: example.maxTokens, seed: example.seed }),
      changeSampling({ temperature: example.temperature }),
      changeAnswer(answerOf(example)),
    ],
  });
}

/** The response format and the tools of an example. If the example has none, the texts that the user typed stay for later. */
function answerOf({ schema, tools }: Example): Partial<AnswerFormatSettings> {
  return {
    format: schema ? "schema" : "text",
    ...(schema && { schema: JSON.stringify(schema, null, 2) }),
    offersTools: tools.length > 0,
    ...(tools.length > 0 && { tools: JSON.stringify(tools, null, 2), toolChoice: "auto" }),
  };
}

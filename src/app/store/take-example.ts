/** Puts a gallery mod to work: it alone takes part, with the prompt and settings that show its effect. All of it can be undone. */
import type { Example } from "../../examples/index.ts";
import type { Message } from "../../sdk/request.ts";
import type { AnswerSettings } from "./answer-settings.ts";
import type { Turn } from "./conversation-store.ts";
import type { Stores } from "./stores.ts";

export function takeExample({ mods, conversation, settings, notices }: Stores, example: Example): void {
  const before = { mods: mods.getState().mods, active: mods.getState().active };
  const { sampling, maxTokens, seed, answer } = settings.getState();
  for (const mod of before.mods) if (mod.enabled) mods.getState().toggle(mod.id);
  // The same mod twice helps no one: an untouched copy is switched on again.
  const same = before.mods.find(({ name, source }) => name === example.name && source === example.source);
  if (same) {
    mods.getState().toggle(same.id);
    mods.getState().open(same.id);
  } else mods.getState().add(example.name, example.source);
  const undoTurns = conversation.getState().replace(turnsOf(example.suggestedPrompt));
  settings.getState().change({ maxTokens: example.maxTokens, seed: example.seed });
  settings.getState().changeSampling({ temperature: example.temperature });
  settings.getState().changeAnswer(answerOf(example));
  notices
    .getState()
    .show(
      `${example.title} is in the editor, with its prompt and settings; your other mods are switched off.`,
      {
        label: "Undo",
        run() {
          mods.setState(before);
          undoTurns();
          settings.getState().change({ sampling, maxTokens, seed, answer });
        },
      },
    );
}

/** Its response format and tools. Where it has none, what was typed stays for later. */
function answerOf({ schema, tools }: Example): Partial<AnswerSettings> {
  return {
    format: schema ? "schema" : "text",
    ...(schema && { schema: JSON.stringify(schema, null, 2) }),
    offersTools: tools.length > 0,
    ...(tools.length > 0 && { tools: JSON.stringify(tools, null, 2), toolChoice: "auto" }),
  };
}

/** Messages as turns; what is not text or has another role is left out. */
export function turnsOf(messages: readonly Message[]): readonly Omit<Turn, "id">[] {
  return messages.flatMap(({ role, content }) => {
    if (role === "tool") return [];
    const text =
      typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
    return [{ role, text }];
  });
}

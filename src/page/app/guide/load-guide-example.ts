/** Puts an example of the guide to work: its mods alone take part, with its prompt, at temperature 0. All of it can be undone. */
import { defaultSampling } from "../../../core/base/sampling.ts";
import { offerUndo } from "../store/offer-undo.ts";
import { enableOnlyMods } from "../store/put-to-work.ts";
import type { Stores } from "../store/stores.ts";
import type { GuideExample } from "./guide-content.ts";

/** @param section id of the section, after which the mods are named. */
export function loadGuideExample(stores: Stores, section: string, example: GuideExample): void {
  const { conversation, settings, mods } = stores;
  const { turns: before } = conversation.getState();
  const { change, changeSampling, changeAnswer } = settings.getState();
  const wanted = example.sources.map((source) => ({
    name: section,
    source: `${source}\n`,
    needs: example.needsInstruct ? ("instruct" as const) : null,
  }));
  offerUndo(stores, {
    text: `The guide’s example is in the editor as ${section}, with its prompt, at temperature 0; your other mods are switched off.`,
    mods: enableOnlyMods(mods, wanted),
    turns: { before, undo: conversation.getState().replace([{ role: "user", text: example.prompt }]) },
    others: [
      change({ maxTokens: example.maxTokens, stop: [], bannedStrings: [] }),
      changeSampling({ ...defaultSampling, temperature: 0 }),
      changeAnswer({ format: "text", offersTools: false }),
    ],
  });
}

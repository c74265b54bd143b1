/** What a recorded run may bring into the editor: not more than the page can show, and the browser keep beside what is the user's. */
import { jsonDepth } from "../../base/json-depth.ts";
import { formatCount } from "../../base/number-text.ts";
import { isBuiltIn } from "../../sdk/built-in.ts";
import type { RequestRecord } from "../../trace/format-request.ts";
import { ownMods } from "../../trace/request-mods.ts";
import { hasRoom } from "./persist.ts";
import { isCopyOf } from "./put-to-work.ts";
import type { Stores } from "./stores.ts";
import { turnsOf } from "./turns.ts";

const mostTurns = 200;
/** Characters of the prompt, the settings and what belongs to them. */
const longestPrompt = 500_000;
const deepest = 100;
/** Characters that have to stay free, so that what the user goes on to write is kept. */
const reserve = 131_072;

/** Why a run cannot be taken over, and what to do; null where it can. Nothing has changed then. */
export function forkProblem({ mods, storages }: Stores, request: RequestRecord): string | null {
  const { length: turns } = turnsOf(request.messages);
  if (turns > mostTurns) {
    return `The run’s prompt has ${formatCount(turns)} turns, and the editor takes at most ${mostTurns}. Nothing was changed: read the run here.`;
  }
  const formats = [...request.tools, request.responseFormat ?? ""];
  const prompt = JSON.stringify([request.messages, request.stop, formats]).length;
  if (prompt > longestPrompt) {
    return `The run’s prompt and settings have ${formatCount(prompt)} characters, and the editor takes at most ${formatCount(longestPrompt)}. Nothing was changed: read the run here.`;
  }
  // Indented as the editor shows it, a text of n lists within lists is n² long.
  const depth = Math.max(...formats.map(jsonDepth));
  if (depth > deepest) {
    return `The run’s tools or response format have ${formatCount(depth)} lists or objects within each other, and the editor takes at most ${deepest}. Nothing was changed: read the run here.`;
  }
  const here = mods.getState().mods;
  const fresh = ownMods(request).filter(
    (mod) => !isBuiltIn(mod) && !here.some((each) => isCopyOf(each, mod)),
  );
  // As they are stored, each with its key.
  const added = fresh.reduce(
    (sum, { source, entry }) => sum + JSON.stringify([source, entry]).length + 200,
    0,
  );
  if (!hasRoom(storages.browser, added + prompt + reserve) || !hasRoom(storages.tab, prompt + reserve)) {
    return `This browser has no room for ${fresh.length === 1 ? "the run’s mod" : `the run’s ${fresh.length} mods`} (${formatCount(added)} characters) beside your own. Nothing was changed: delete mods that you do not need, and fork again.`;
  }
  return null;
}

/** The playground with the real engine. Loaded only when the playground is shown. */
import { answerFormatProblem, createSession } from "../../runtime/session/page-side/client.ts";
import { startPlayground } from "./playground-start.tsx";
import { isHandOverWaiting } from "./share/hand-over.ts";
import { fetchForking } from "./store/late-fork.ts";

/** The list of models is fetched beside the first scripts. If the import fails, the next caller tries again. */
const modelList = () => import("../../runtime/session/shared/catalog.ts");

/**
 * Fetches the code that the playground needs at once, and returns the function that draws the playground. A fork that comes from
 * a link has its code then: the fork changes the editor before anyone can click there, so it undoes no click.
 */
export async function preparePlayground(): Promise<typeof mountPlayground> {
  // The fork itself fetches the code again after a failure, and reports it.
  if (isHandOverWaiting()) await fetchForking().catch(() => undefined);
  return mountPlayground;
}

/** Returns a function that removes the playground. */
function mountPlayground(root: HTMLElement): () => void {
  // Fetched at once; the caller that needs the list reports a failure.
  modelList().catch(() => undefined);
  return startPlayground(root, () => ({
    session: createSession(),
    answerFormatProblem,
    listModels: async () => (await modelList()).listModels(),
    readModels: async () => (await modelList()).readModels(),
  }));
}

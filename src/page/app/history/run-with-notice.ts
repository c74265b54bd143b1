/** Runs a user's action, and shows a notice if the action fails. */
import { messageOf } from "../../../core/base/message-of.ts";
import type { PageStores } from "../store/page-stores.ts";

export async function runWithFailureNotice(
  { notices }: Pick<PageStores, "notices">,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (cause) {
    notices.getState().fail(`The action failed. ${messageOf(cause)}`);
  }
}

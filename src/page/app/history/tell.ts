/** Does what the user asked for; what fails is told by a notice. */
import { messageOf } from "../../../core/base/message-of.ts";
import type { PageStores } from "../store/page-stores.ts";

export async function tell(
  { notices }: Pick<PageStores, "notices">,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (cause) {
    notices.getState().show(`The action failed. ${messageOf(cause)}`);
  }
}

/** The form for a link to the setup of the run, without its output. */
import { useCallback } from "react";
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import { encodingSetup } from "../../../core/trace/file/setup-link.ts";
import { CopyLink, LinkLength, ShareActions, type ShareableLink } from "./share-actions.tsx";
import type { RunToShare } from "./shared.ts";
import { useStepsResult } from "./use-made.ts";

export function ShareSetup({ shared }: { shared: RunToShare }) {
  const link = useStepsResult(useCallback(() => makingSetupLink(shared), [shared]));
  return (
    <>
      <p className="share-lead">
        The link contains the model’s name, the prompt, the mods and the settings, but no output. Anyone who
        opens the link can first read the setup and then put it into the editor, ready to run. Opening the
        link runs nothing.
      </p>
      <LinkLength link={link} />
      <p className="share-note">
        {shared.notes.includes("prompt") &&
          "The run was saved without its prompt, so the link has no prompt either. "}
        The mods and the prompt are in the link itself, after the #. That part never reaches a server, but it
        stays in browser histories and chats.
      </p>
      <ShareActions>
        <CopyLink link={link} />
      </ShareActions>
    </>
  );
}

function* makingSetupLink({ model, page }: RunToShare): ResumableWork<ShareableLink> {
  if (!model.request) throw new Error("The run was saved without its settings, so no setup can be shared.");
  const address = page.replace(/[?#].*$/, "") + (yield* encodingSetup(model.request));
  return { address, length: address.length };
}

/** Shows the prompt as the model sees it, when asked for. */
import { useState } from "react";
import { Button } from "../../../view/ui/button.tsx";
import { faultInDialog } from "../../../view/ui/dialog.tsx";
import { lazyDialog } from "../../../view/ui/lazy-dialog.tsx";

const PromptTokensDialog = lazyDialog({
  part: "The view of the prompt",
  load: () => import("./prompt-dialog.tsx"),
  component: "PromptTokensDialog",
});

export function PromptTokensButton() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button weight="quiet" onClick={() => setOpen(true)}>
        Prompt as the model sees it
      </Button>
      {isOpen && (
        <PromptTokensDialog
          onClose={close}
          within={faultInDialog("The prompt, as the model sees it", close)}
        />
      )}
    </>
  );
}

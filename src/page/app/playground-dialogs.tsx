/** The dialogs of the playground; their code is fetched when they are opened. */
import { useCallback } from "react";
import { importProgramPart } from "../../core/base/import-part.ts";
import { faultInDialog } from "../../view/ui/dialog.tsx";
import { lazyDialog } from "../../view/ui/lazy-dialog.tsx";
import { VersionsDialog } from "./editor/lazy-versions.tsx";
import { features } from "./features/features.ts";
import type { FeatureDialogId, PageActions, PageDialog } from "./page-actions.ts";
import { playgroundKeys } from "./playground-keys.ts";
import { ShareDialog } from "./share/lazy-share-dialog.tsx";
import { useStores } from "./store/stores.ts";
import { LazyVerify } from "./verify/lazy-verify.tsx";

const HelpDialog = lazyDialog({
  part: "The list of shortcuts",
  load: () => import("./help-dialog.tsx"),
  component: "HelpDialog",
});

const CommandPalette = lazyDialog({
  part: "The list of commands",
  load: () => import("./palette/command-palette.tsx"),
  component: "CommandPalette",
});

const Gallery = lazyDialog({
  part: "The list of examples",
  load: () => import("./editor/gallery.tsx"),
  component: "Gallery",
});

const BreakpointsDialog = lazyDialog({
  part: "The list of breakpoints",
  load: () => import("./control/breakpoints-dialog.tsx"),
  component: "BreakpointsDialog",
});

const WorkspaceDialog = lazyDialog({
  part: "The workspace",
  load: () => import("./workspace/workspace-dialog.tsx"),
  component: "WorkspaceDialog",
});

const OfflineDialog = lazyDialog({
  part: "The list of saved files",
  load: () => import("./offline/offline-dialog.tsx"),
  component: "OfflineDialog",
});

const RulesDialog = lazyDialog({
  part: "The rules dialog",
  load: () => import("./rules/rules-dialog.tsx"),
  component: "RulesDialog",
});

function ShareDialogOfPage({ onClose }: { readonly onClose: () => void }) {
  const stores = useStores();
  const readLayers = useCallback(async () => {
    const load = () => import("./layers/layers-of-run.ts");
    const part = await importProgramPart("The code that reads saved layers", load, "cachedLayersOfRun");
    return part.cachedLayersOfRun(stores);
  }, [stores]);
  const featureWays = features.flatMap(({ shareWay }) =>
    shareWay === undefined ? [] : [{ ...shareWay, isOn: shareWay.isOn(stores) }],
  );
  return (
    <ShareDialog
      run={stores.run}
      page={stores}
      readLayers={readLayers}
      featureWays={featureWays}
      onClose={onClose}
      within={faultInDialog("Share this run", onClose)}
    />
  );
}

interface DialogOfFeatureProps {
  readonly id: FeatureDialogId | null;
  readonly actions: PageActions;
  readonly onClose: () => void;
}

function DialogOfFeature({ id, actions, onClose }: DialogOfFeatureProps) {
  const found = features.find(({ dialog }) => dialog?.id === id)?.dialog;
  if (!found) return null;
  const { title, Dialog } = found;
  return <Dialog actions={actions} onClose={onClose} within={faultInDialog(title, onClose)} />;
}

interface PlaygroundDialogsProps {
  readonly open: PageDialog | null;
  readonly actions: PageActions;
  readonly onClose: () => void;
}

export function PlaygroundDialogs({ open, actions, onClose }: PlaygroundDialogsProps) {
  const { settings } = useStores();
  const inShortcuts = faultInDialog("Shortcuts", onClose);
  if (typeof open === "object" && open !== null)
    return (
      <VersionsDialog mod={open.versionsOf} onClose={onClose} within={faultInDialog("Versions", onClose)} />
    );
  switch (open) {
    case "share":
      return <ShareDialogOfPage onClose={onClose} />;
    case "verify":
      return <LazyVerify onClose={onClose} />;
    case "help":
      return (
        <HelpDialog
          settings={settings}
          playgroundKeys={playgroundKeys}
          onClose={onClose}
          within={inShortcuts}
        />
      );
    case "gallery":
      return (
        <Gallery
          onRules={() => actions.open("new-rules")}
          onTaken={() => actions.show("write")}
          onClose={onClose}
          within={faultInDialog("Examples", onClose)}
        />
      );
    case "commands":
      return (
        <CommandPalette actions={actions} onClose={onClose} within={faultInDialog("Commands", onClose)} />
      );
    case "breakpoints":
      return <BreakpointsDialog onClose={onClose} within={faultInDialog("Breakpoints", onClose)} />;
    case "workspace":
      return <WorkspaceDialog onClose={onClose} within={faultInDialog("Workspace", onClose)} />;
    case "offline":
      return <OfflineDialog onClose={onClose} within={faultInDialog("Saved in this browser", onClose)} />;
    case "rules":
    case "new-rules":
      return (
        <RulesDialog
          key={open}
          isNew={open === "new-rules"}
          actions={actions}
          onClose={onClose}
          within={faultInDialog("Rules", onClose)}
        />
      );
    default:
      return <DialogOfFeature id={open} actions={actions} onClose={onClose} />;
  }
}

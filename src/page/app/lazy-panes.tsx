/** Parts of the playground whose code is fetched when they are first shown. */
import { lazyDialog } from "../../view/ui/lazy-dialog.tsx";
import { lazyPart } from "../../view/ui/lazy-part.tsx";

export const PlaygroundDialogs = lazyDialog({
  part: "The dialog",
  load: () => import("./playground-dialogs.tsx"),
  component: "PlaygroundDialogs",
});

export const SetAsideBanner = lazyPart({
  part: "The notice about unreadable saved data",
  load: () => import("./workspace/set-aside-banner.tsx"),
  component: "SetAsideBanner",
});

export const UnsuitedModelHint = lazyPart({
  part: "The hint about models",
  load: () => import("./read/model-hint.tsx"),
  component: "UnsuitedModelNotice",
});

export const TypeErrorNotes = lazyPart({
  part: "The type errors of the mods",
  load: () => import("./read/type-error-notes.tsx"),
  component: "TypeErrorNotes",
});

export const HistoryPane = lazyDialog({
  part: "The history",
  load: () => import("./history/history-pane.tsx"),
  component: "HistoryPane",
});

export const BranchTreeBar = lazyPart({
  part: "The tree of branches",
  load: () => import("./history/branch-tree-bar.tsx"),
  component: "BranchTreeBar",
});

export const RecordedBanner = lazyPart({
  part: "The banner of a recorded run",
  load: () => import("./history/recorded-banner.tsx"),
  component: "RecordedBanner",
});

export const EarlierRunBanner = lazyPart<"EarlierRunBanner", object>({
  part: "The banner of an earlier run",
  load: () => import("./history/earlier-run-banner.tsx"),
  component: "EarlierRunBanner",
});

export const RepeatOutcome = lazyPart<"RepeatOutcome", object>({
  part: "The comparison with the recorded run",
  load: () => import("./history/repeat-outcome.tsx"),
  component: "RepeatOutcome",
});

export const LegendButton = lazyPart({
  part: "The legend for the marks",
  load: () => import("./read/legend-button.tsx"),
  component: "LegendButton",
});

export const ComparePane = lazyPart({
  part: "The comparison",
  load: () => import("./compare/compare-pane.tsx"),
  component: "ComparePane",
});

export const GuidePane = lazyDialog({
  part: "The guide",
  load: () => import("./guide/guide-pane.tsx"),
  component: "GuidePane",
});

export const PauseLabels = lazyPart({
  part: "The reason for the pause",
  load: () => import("./control/pause-labels.tsx"),
  component: "PauseLabels",
});

export const RanSourceDialog = lazyDialog({
  part: "The view of the mod’s code",
  load: () => import("./share/ran-source-dialog.tsx"),
  component: "RanSourceDialog",
});

/** Drawn with the page, but its code is not in the first scripts. */
export const LazyRunStartProgress = lazyPart<"RunStartProgress", object>({
  part: "The start-up progress",
  load: () => import("./bar/start-progress.tsx"),
  component: "RunStartProgress",
});

export const RulesNote = lazyPart({
  part: "The note about rules",
  load: () => import("./rules/rules-note.tsx"),
  component: "RulesNote",
});

const goOn = () => import("./control/go-on-changed.tsx");
const goOnPart = "The buttons that continue a run";

export const ContinueRun = lazyPart<"ContinueRun", { readonly isStepShown: boolean }>({
  part: goOnPart,
  load: goOn,
  component: "ContinueRun",
});

export const ContinueAtEnd = lazyPart<"ContinueAtEnd", object>({
  part: "The button that continues a run at its end",
  load: goOn,
  component: "ContinueAtEnd",
});

export const LazyStepLayersPanel = lazyPart<"StepLayersPanel", object>({
  part: "What each layer would say",
  load: () => import("./layers/layers-here.tsx"),
  component: "StepLayersPanel",
});

export const LayerShading = lazyPart({
  part: "The shading by layer",
  load: () => import("./layers/layer-shading.tsx"),
  component: "LayerShading",
});

export const ContinueFromHere = lazyPart<"ContinueFromHere", object>({
  part: goOnPart,
  load: goOn,
  component: "ContinueFromHere",
});

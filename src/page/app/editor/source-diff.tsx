/** Two versions of a source, line by line, in Monaco's diff editor, read-only. */
import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { useStores } from "../store/stores.ts";
import { isDark } from "../theme.ts";
import { disableBracketColours, languageOfShownSource, monaco } from "./monaco.ts";
import { mostDrawnLineCharacters, sizeOfSource } from "./source-sizes.ts";

interface SourceDiffProps {
  readonly before: string;
  readonly after: string;
  /** The label of each side for screen readers. */
  readonly labels: { readonly before: string; readonly after: string };
}

/** Milliseconds for the search of differences; afterwards every line is shown as changed. */
const longestMs = 1_000;

export function SourceDiff({ before, after, labels }: SourceDiffProps) {
  const host = useRef<HTMLDivElement>(null);
  const theme = useStore(useStores().settings, (state) => state.theme);
  useEffect(() => {
    if (!host.current) return;
    monaco.editor.setTheme(isDark(theme) ? "midtoken-dark" : "midtoken-light");
    const model = {
      original: monaco.editor.createModel(before, languageOfShownSource(sizeOfSource(before))),
      modified: monaco.editor.createModel(after, languageOfShownSource(sizeOfSource(after))),
    };
    disableBracketColours(model.original);
    disableBracketColours(model.modified);
    const editor = monaco.editor.createDiffEditor(host.current, {
      readOnly: true,
      originalEditable: false,
      automaticLayout: true,
      renderSideBySide: false,
      renderOverviewRuler: false,
      hideUnchangedRegions: { enabled: true },
      maxComputationTime: longestMs,
      fontFamily: "JetBrains Mono Variable, ui-monospace, monospace",
      fontSize: 12,
      lineHeight: 18,
      minimap: { enabled: false },
      scrollBeyondLastLine: false,
      folding: false,
      lineNumbersMinChars: 3,
      matchBrackets: "never",
      bracketPairColorization: { enabled: false },
      occurrencesHighlight: "off",
      links: false,
      stopRenderingLineAfter: mostDrawnLineCharacters,
      // The diff stands in a dialog that Escape closes, so no popup of the editor may hang over the dialog.
      contextmenu: false,
      hover: { enabled: "off" },
      unicodeHighlight: {
        invisibleCharacters: true,
        ambiguousCharacters: true,
        includeStrings: true,
        includeComments: true,
      },
    });
    editor.setModel(model);
    editor.getOriginalEditor().updateOptions({ ariaLabel: labels.before });
    editor.getModifiedEditor().updateOptions({ ariaLabel: labels.after });
    return () => {
      editor.dispose();
      for (const each of Object.values(model)) each.dispose();
    };
  }, [before, after, labels, theme]);
  return <div ref={host} className="versions-diff" translate="no" />;
}

/** Two versions of a source, line by line: Monaco's diff editor, to be read. */
import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { useStores } from "../store/stores.ts";
import { isDark } from "../theme.ts";
import { monaco, readLanguage } from "./monaco.ts";
import { longestLine, sizeOfSource } from "./source-sizes.ts";

interface SourceDiffProps {
  readonly before: string;
  readonly after: string;
  /** For screen readers, of each side. */
  readonly labels: { readonly before: string; readonly after: string };
}

/** Milliseconds in which differences are looked for; after that all is shown as changed. */
const longestLook = 1_000;

export function SourceDiff({ before, after, labels }: SourceDiffProps) {
  const host = useRef<HTMLDivElement>(null);
  const theme = useStore(useStores().settings, (state) => state.theme);
  useEffect(() => {
    if (!host.current) return;
    monaco.editor.setTheme(isDark(theme) ? "midtoken-dark" : "midtoken-light");
    const model = {
      original: monaco.editor.createModel(before, readLanguage(sizeOfSource(before))),
      modified: monaco.editor.createModel(after, readLanguage(sizeOfSource(after))),
    };
    for (const each of Object.values(model))
      each.updateOptions({
        bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
      });
    const editor = monaco.editor.createDiffEditor(host.current, {
      readOnly: true,
      originalEditable: false,
      automaticLayout: true,
      renderSideBySide: false,
      renderOverviewRuler: false,
      hideUnchangedRegions: { enabled: true },
      maxComputationTime: longestLook,
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
      stopRenderingLineAfter: longestLine,
      // It stands in a dialog, whose Escape closes it: nothing of the editor's may hang over it.
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
  return <div ref={host} className="versions-diff" />;
}

/** Sets Monaco up once: only the editor and TypeScript, workers of our own, the SDK's declarations, themes from the page's colours. */
import * as monaco from "monaco-editor/editor";
import EditorWorker from "monaco-editor/editor/editor.worker?worker";
import "monaco-editor/features/register.all";
import "monaco-editor/languages/definitions/typescript/register";
import { conf, language } from "monaco-editor/languages/definitions/typescript/typescript";
import * as typescript from "monaco-editor/languages/features/typescript/register";
import TypeScriptWorker from "monaco-editor/languages/features/typescript/ts.worker?worker";
import { modCompilerOptions, sdkSources } from "../../examples/sdk-sources.ts";
import { isLongSource, type SourceSize } from "./source-sizes.ts";

self.MonacoEnvironment = {
  getWorker: (_id, label) => (label === "typescript" ? new TypeScriptWorker() : new EditorWorker()),
};

const defaults = typescript.typescriptDefaults;
defaults.setCompilerOptions({
  target: typescript.ScriptTarget.ESNext,
  lib: ["es2023"],
  types: [],
  module: typescript.ModuleKind.ESNext,
  moduleResolution: 100 as typeof typescript.ModuleResolutionKind.NodeJs,
  allowNonTsExtensions: true,
  noEmit: true,
  strict: true,
  baseUrl: "file:///midtoken",
  paths: modCompilerOptions.paths,
});
defaults.setEagerModelSync(true);
for (const [name, source] of Object.entries(sdkSources)) {
  defaults.addExtraLib(source, `file:///midtoken/${name}`);
}

/**
 * TypeScript without its language service: colours and brackets. A page that is only looked at and run does not start the
 * compiler, whose worker takes a second or two of a processor.
 */
const uncheckedLanguage = "typescript-unchecked";
monaco.languages.register({ id: uncheckedLanguage });
monaco.languages.setLanguageConfiguration(uncheckedLanguage, conf);
monaco.languages.setMonarchTokensProvider(uncheckedLanguage, language);

/** The language of sources that are too long for colours, brackets and checks. Without a configuration it has none of them. */
export const longSourceLanguage = "long-source";
monaco.languages.register({ id: longSourceLanguage });

let isChecked = false;

/** The language of a source that is only read. */
export function languageOfShownSource(size: SourceSize): string {
  return isLongSource(size) ? longSourceLanguage : uncheckedLanguage;
}

/** The language of a mod's source of this size. */
export function languageOfEditedMod(size: SourceSize): string {
  if (isLongSource(size)) return longSourceLanguage;
  return isChecked ? "typescript" : uncheckedLanguage;
}

/** From now on the language service checks and completes all sources, also the open ones. */
export function startLanguageService(): void {
  if (isChecked) return;
  isChecked = true;
  for (const model of monaco.editor.getModels()) {
    if (model.getLanguageId() === uncheckedLanguage) monaco.editor.setModelLanguage(model, "typescript");
  }
}

/**
 * Gives the bracket pairs of a model no colours: Monaco would search all pairs, which takes a second for a megabyte of brackets.
 * The editor's own option is not enough. Monaco also gives a model its defaults again when an option of any editor changes
 * after the model's language has changed, so colours are switched off each time they come back.
 */
export function disableBracketColours(model: monaco.editor.ITextModel): void {
  const disable = () =>
    model.updateOptions({
      bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
    });
  disable();
  model.onDidChangeOptions(() => {
    if (model.getOptions().bracketPairColorizationOptions.enabled) disable();
  });
}

const transparent = "#00000000";
monaco.editor.defineTheme("midtoken-light", {
  base: "vs",
  inherit: true,
  rules: [
    { token: "comment", foreground: "6b6b70" },
    { token: "keyword", foreground: "4238c0" },
    { token: "string", foreground: "00704f" },
    { token: "number", foreground: "8a3b00" },
    { token: "type", foreground: "1a1a1c" },
  ],
  colors: {
    "editor.background": "#ffffff",
    "editor.foreground": "#1a1a1c",
    "editorLineNumber.foreground": "#6b6b70",
    "editorLineNumber.activeForeground": "#1a1a1c",
    "editor.lineHighlightBackground": "#f6f6f4",
    "editor.lineHighlightBorder": transparent,
    "editorGutter.background": "#ffffff",
    focusBorder: "#5146d8",
  },
});
monaco.editor.defineTheme("midtoken-dark", {
  base: "vs-dark",
  inherit: true,
  rules: [
    { token: "comment", foreground: "8f8f99" },
    { token: "keyword", foreground: "b9b2ff" },
    { token: "string", foreground: "6fd3b0" },
    { token: "number", foreground: "f0b183" },
    { token: "type", foreground: "ececee" },
  ],
  colors: {
    "editor.background": "#18181b",
    "editor.foreground": "#ececee",
    "editorLineNumber.foreground": "#8f8f99",
    "editorLineNumber.activeForeground": "#ececee",
    "editor.lineHighlightBackground": "#1e1e22",
    "editor.lineHighlightBorder": transparent,
    "editorGutter.background": "#18181b",
    focusBorder: "#a59cff",
  },
});

export { monaco };

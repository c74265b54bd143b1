/** The content of the guide: `docs/mods.md` as data (`scripts/read-guide.ts`), so that none of it is ever put in as HTML. */

export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis"; readonly inlines: readonly Inline[] }
  /** To a section (`#events`) or to a page elsewhere (`https:`). */
  | { readonly type: "link"; readonly address: string; readonly inlines: readonly Inline[] };

/** The output of an example: the text, the lines of its console, or tool calls as JSON. */
export interface ExampleOutput {
  readonly kind: "text" | "console" | "json";
  readonly text: string;
}

export interface GuideExample {
  /** Mods that run together, in their order; nearly always one. */
  readonly sources: readonly string[];
  readonly prompt: string;
  readonly maxTokens: number;
  readonly needsInstruct: boolean;
  readonly outputs: readonly ExampleOutput[];
}

export type Block =
  | { readonly type: "paragraph"; readonly inlines: readonly Inline[] }
  | { readonly type: "list"; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly type: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  /** A text that is no mod: an output of the model without mods, or a prompt. */
  | { readonly type: "sample"; readonly text: string }
  | { readonly type: "example"; readonly example: GuideExample };

export interface GuideHeading {
  /** In the address, after `#guide/`. */
  readonly id: string;
  readonly title: string;
  /** 1 for the guide itself, 2 for its chapters, 3 for the parts of a chapter. */
  readonly depth: number;
}

export interface GuideSection extends GuideHeading {
  readonly blocks: readonly Block[];
  /** The text of the section in lower case, for the search. */
  readonly words: string;
}

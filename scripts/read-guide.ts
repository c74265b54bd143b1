/** Reads the guide (`docs/mods.md`) into the data that the page draws. Markdown that this reader does not know fails the build. */
import { lexer, type Token, type Tokens } from "marked";
import type { Block, GuideExample, GuideSection, Inline } from "../src/page/app/guide/guide-content.ts";

const usualPrompt = "Once upon a time";
const usualTokens = 24;

type Draft = { -readonly [Key in keyof GuideSection]: GuideSection[Key] } & { blocks: Block[] };

/** An example that may still get outputs, or a second mod. */
interface OpenExample extends GuideExample {
  readonly sources: string[];
  readonly outputs: { kind: "text" | "console" | "json"; text: string }[];
}

export function readGuide(markdown: string): readonly GuideSection[] {
  const sections: Draft[] = [];
  let prompt = usualPrompt;
  let open: OpenExample | null = null;
  for (const token of lexer(markdown)) {
    if (token.type === "space") continue;
    if (token.type === "heading") {
      const { text, depth } = token as Tokens.Heading;
      sections.push({ id: idOf(text), title: text, depth, blocks: [], words: "" });
      open = null;
      continue;
    }
    const section = sections.at(-1);
    if (!section) throw new Error("The guide must begin with a heading.");
    if (token.type === "code") {
      const [language = "", ...flags] = (token.lang ?? "").split(" ");
      const text: string = token.text;
      if (language === "ts") {
        open = addSource(section, open, text, flags, prompt);
        prompt = usualPrompt;
      } else if (open && isOutput(language)) {
        open.outputs.push({ kind: language, text });
      } else if (language === "prompt" || language === "text") {
        if (language === "prompt") prompt = text;
        section.blocks.push({ type: "sample", text });
      } else throw new Error(`The guide has a block of "${token.lang}" where nothing makes such an output.`);
      continue;
    }
    // A mod without an output runs together with the next mod, whatever text stands between them.
    if (open && open.outputs.length > 0) open = null;
    const block = readBlock(token);
    if (!isListOfSections(block)) section.blocks.push(block);
  }
  return sections.map((section) => ({
    ...section,
    words: [section.title, ...section.blocks.map(wordsOf)].join("\n").toLowerCase(),
  }));
}

const isOutput = (language: string): language is "text" | "console" | "json" =>
  language === "text" || language === "console" || language === "json";

function addSource(
  section: Draft,
  open: OpenExample | null,
  source: string,
  flags: readonly string[],
  prompt: string,
): OpenExample {
  if (open && open.outputs.length === 0) {
    open.sources.push(source);
    return open;
  }
  const tokens = flags.find((flag) => flag.startsWith("tokens="));
  const example: OpenExample = {
    sources: [source],
    prompt,
    maxTokens: tokens ? Number(tokens.slice("tokens=".length)) : usualTokens,
    needsInstruct: flags.includes("instruct"),
    outputs: [],
  };
  section.blocks.push({ type: "example", example });
  return example;
}

/** The anchor of a section, as GitHub makes it. */
function idOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, "")
    .replaceAll(" ", "-");
}

function readBlock(token: Token): Block {
  switch (token.type) {
    case "paragraph":
      return { type: "paragraph", inlines: inlinesOf(token.tokens) };
    case "list":
      return {
        type: "list",
        items: (token as Tokens.List).items.map((item) =>
          item.tokens.flatMap((part) => inlinesOf("tokens" in part ? part.tokens : undefined)),
        ),
      };
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return {
        type: "table",
        head: header.map((cell) => inlinesOf(cell.tokens)),
        rows: rows.map((row) => row.map((cell) => inlinesOf(cell.tokens))),
      };
    }
    default:
      throw new Error(`The guide has a "${token.type}", which the page does not draw: ${token.raw}`);
  }
}

function inlinesOf(tokens: readonly Token[] | undefined): readonly Inline[] {
  return (tokens ?? []).map((token): Inline => {
    switch (token.type) {
      case "text":
      case "escape":
        return { type: "text", text: token.text };
      case "codespan":
        return { type: "code", text: token.text };
      case "strong":
        return { type: "strong", inlines: inlinesOf(token.tokens) };
      case "em":
        return { type: "emphasis", inlines: inlinesOf(token.tokens) };
      case "link":
        if (!/^(?:#|https:)/.test(token.href)) {
          throw new Error(
            `The guide links to "${token.href}": only sections and https: addresses work in the page.`,
          );
        }
        return { type: "link", address: token.href, inlines: inlinesOf(token.tokens) };
      default:
        throw new Error(
          `The guide has a "${token.type}" in a line, which the page does not draw: ${token.raw}`,
        );
    }
  });
}

/** Whether the block is the list of links at the beginning of the guide; the page shows its own table of contents instead. */
function isListOfSections(block: Block): boolean {
  if (block.type !== "paragraph" || block.inlines.length < 3) return false;
  return block.inlines.every(
    (inline) => inline.type === "link" || (inline.type === "text" && inline.text === " · "),
  );
}

export function textOf(inlines: readonly Inline[]): string {
  return inlines.map((inline) => ("text" in inline ? inline.text : textOf(inline.inlines))).join("");
}

function wordsOf(block: Block): string {
  switch (block.type) {
    case "paragraph":
      return textOf(block.inlines);
    case "list":
      return block.items.map(textOf).join("\n");
    case "table":
      return [block.head, ...block.rows].map((row) => row.map(textOf).join(" ")).join("\n");
    case "sample":
      return block.text;
    case "example":
      return [...block.example.sources, ...block.example.outputs.map(({ text }) => text)].join("\n");
  }
}

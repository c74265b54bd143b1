/**
 * Finds the sentences and labels that users read: on the page, in errors, on the command line.
 *
 * For the source
 *
 *     const note = <p title="Copy the link">Sent to {count} people.</p>;
 *     throw new Error(`The file ${name} is empty.`);
 *
 * `userStrings` returns "Copy the link" (line 1), "Sent to {…} people." (line 1) and "The file {…} is empty." (line 2).
 */
import { parseAst } from "rolldown/parseAst";

export interface UserString {
  /** Counted from 1. */
  readonly line: number;
  /** Runs of white space are one space; an expression in the text is `{…}`. */
  readonly text: string;
}

/** The fields of a syntax tree's node that this file reads. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** JSX attributes with code, addresses or shapes. */
const codeAttributes = new Set(["className", "style", "d", "viewBox", "transform", "points", "href", "src"]);

/** Functions whose text arguments are names for the browser or for programs. */
const codeCalls = new Set(["querySelector", "querySelectorAll", "matchMedia", "getContext", "closest"]);

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

function children(node: Node): Node[] {
  return Object.values(node).flatMap((value) => {
    if (Array.isArray(value)) return value.filter(isNode);
    return isNode(value) ? [value] : [];
  });
}

const nameOf = (value: unknown): string =>
  isNode(value) && typeof value.name === "string" ? value.name : "";

function isCode(node: Node): boolean {
  if (/^(Import|Export(All|Named))Declaration$/.test(node.type))
    return node.source !== null && node.source !== undefined;
  if (node.type.startsWith("TS") && !/^TS(As|Satisfies|NonNull)Expression$/.test(node.type)) return true;
  if (node.type === "JSXAttribute") return codeAttributes.has(nameOf(node.name));
  if (node.type !== "CallExpression" || !isNode(node.callee)) return false;
  const called = node.callee.type === "MemberExpression" ? node.callee.property : node.callee;
  return codeCalls.has(nameOf(called));
}

const withSingleSpaces = (text: string) => text.replace(/\s+/g, " ").trim();

/** Whether a text is a sentence or a label: it has a word of two letters, and a space or an initial capital. */
function isForUsers(text: string): boolean {
  if (!/\p{L}{2}/u.test(text)) return false;
  if (/^[\w-]+(\/[\w.-]+)+$|^https?:\/\/\S+$/.test(text)) return false;
  return /\S \S/.test(text) || /^\p{Lu}\p{Ll}+[.…]?$/u.test(text);
}

function templateText(node: Node): string {
  const parts = Array.isArray(node.quasis) ? node.quasis.filter(isNode) : [];
  const texts = parts.map(({ value }) =>
    typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : "",
  );
  return texts.join("{…}");
}

/** Texts and expressions of an element as a reader sees them. Child elements are `{…}` and are read separately. */
function elementText(node: Node): string {
  const inside = Array.isArray(node.children) ? node.children.filter(isNode) : [];
  const parts = inside.map((child) => {
    if (child.type === "JSXText") return String(child.value);
    const { expression } = child;
    if (isNode(expression) && expression.type === "JSXEmptyExpression") return "";
    if (isNode(expression) && expression.type === "Literal") return String(expression.value);
    return "{…}";
  });
  return parts.join("");
}

function ownText(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral") return templateText(node);
  if (node.type === "JSXElement" || node.type === "JSXFragment") return elementText(node);
  return undefined;
}

/** In the order of the source. @throws Error if `source` is not TypeScript */
export function userStrings(path: string, source: string): UserString[] {
  const found: UserString[] = [];
  const visit = (node: Node): void => {
    if (isCode(node)) return;
    const text = withSingleSpaces(ownText(node) ?? "");
    if (isForUsers(text) && text !== "use strict")
      found.push({ line: source.slice(0, node.start).split("\n").length, text });
    for (const child of children(node)) visit(child);
  };
  const program: unknown = parseAst(source, { lang: path.endsWith("x") ? "tsx" : "ts" });
  if (isNode(program)) visit(program);
  return found;
}

/**
 * Writes a run as Markdown: the text as a quote, with mods' tokens bold, removed tokens struck and steered tokens in italics;
 * then the run's metrics and its link.
 */

import { formatCount } from "../../base/number-text.ts";
import { ownMods } from "../format/request-mods.ts";
import type { TraceModel } from "../model/trace-model.ts";
import { traceSummary } from "../model/trace-summary.ts";
import { modName } from "../model/trace-view.ts";
import { type TranscriptPart, transcriptPage } from "../model/transcript.ts";
import { showInvisibleCharacters } from "../text/visible-text.ts";

/** Limits of the quoted run: more than anyone reads in a comment. */
const most = { parts: 2_000, characters: 20_000 };
const mostMods = 20;

/** @param link the address that opens the run; null for none. */
export function markdownOf(trace: TraceModel, link: string | null): string {
  const { parts, next } = transcriptPage(trace, 0, most);
  const left = trace.tokens.text.length - next;
  const lines = linesOf(parts);
  if (left > 0) lines.push("", `*${formatCount(left)} more tokens are in the run.*`);
  const quoted = lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
  const metrics = metricsOf(trace).map(([name, value]) => `| ${name} | ${value} |`);
  const read = link === null ? [] : [`[Read the run, token by token](<${link}>)`, ""];
  return [quoted, "", "| | |", "|---|---|", ...metrics, "", ...read].join("\n");
}

/** Splits the parts into lines. A line break inside a paragraph becomes a hard break. */
function linesOf(parts: readonly TranscriptPart[]): string[] {
  const lines = [""];
  for (const { standing, text, steered } of parts) {
    if (standing === "end") continue;
    const own = steered ? "i" : "";
    const isTaken = standing === "removed" || standing === "asked";
    const isMarked = isTaken || (standing !== "sampled" && standing !== "moved");
    const put = isTaken ? "~~" : "**";
    const mark = isMarked ? put : own;
    text.split(/\r\n|[\n\r\u2028\u2029]/).forEach((piece, place) => {
      if (place > 0) lines.push("");
      lines.push((lines.pop() ?? "") + marked(piece, mark));
    });
  }
  const broken = lines.map((line, place) => (line !== "" && lines[place + 1] ? `${line}\\` : line));
  return broken.map((line) => line.replace(/^[ \t]+/, "").replace(/^(?:[-+=:]|\d+(?=[.)]))/, "\\$&"));
}

/** The tags of the marks other than `**`. */
const tags: Readonly<Record<string, string>> = { "~~": "del", i: "i" };

/**
 * Sets a mark, such as `**`, around a text. Markdown reads a mark only next to a letter or digit, so spaces and punctuation at
 * the edges stay outside. A text of spaces alone gets no mark; a text of punctuation alone gets an HTML tag.
 */
function marked(text: string, mark: string): string {
  if (mark === "") return escaped(text);
  const [, before = "", core = "", after = ""] = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su.exec(text) ?? [];
  // Italics are a tag, because a bold part may follow directly: `*a***b**` would be read as other marks.
  if (core !== "" && mark === "i") return `${escaped(before)}<i>${escaped(core)}</i>${escaped(after)}`;
  if (core !== "") return `${escaped(before)}${mark}${escaped(core)}${mark}${escaped(after)}`;
  if (text.trim() === "") return text;
  const tag = tags[mark] ?? "b";
  return `<${tag}>${escaped(text)}</${tag}>`;
}

/** Escapes a text so that it becomes no mark, tag, entity, link or mention. */
function escaped(text: string): string {
  return showInvisibleCharacters(text, Number.POSITIVE_INFINITY)
    .replace(/[\\`*_[\]<>|~&#!@$^{}()]/g, "\\$&")
    .replace(/:(?=\/\/)|(?<=www)\.|(?<=mailto|xmpp):/gi, "\\$&");
}

function metricsOf(trace: TraceModel): readonly (readonly [string, string])[] {
  const { request } = trace;
  const { outputTokens, forced, reinjected, adjusted, removed, asked, steered } = traceSummary(trace);
  const count = request ? ownMods(request).length : 0;
  const mods = Array.from({ length: Math.min(count, mostMods) }, (_, mod) => escaped(modName(trace, mod)));
  const more = count - mods.length;
  const counts: readonly (readonly [string, number])[] = [
    ["Tokens in the output", outputTokens],
    ["Forced tokens", forced],
    ["Tokens that replace removed tokens", reinjected],
    ["Tokens with adjusted probabilities", adjusted],
    ["Removed tokens", removed],
    ...(asked > 0 ? [["Tokens in hidden questions", asked] as const] : []),
    ...(steered > 0 ? [["Tokens chosen while steered", steered] as const] : []),
  ];
  return [
    ["Model", escaped(showInvisibleCharacters(request?.model.id ?? "unknown", 200))],
    ["Mods", mods.length === 0 ? "none" : mods.join(", ") + (more > 0 ? ` and ${more} more` : "")],
    ...counts.map(([name, count]) => [name, formatCount(count)] as const),
    ["Temperature", String(request?.sampling.temperature ?? "unknown")],
    ["Seed", String(request?.seed ?? "unknown")],
  ];
}

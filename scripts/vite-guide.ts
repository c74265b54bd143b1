/**
 * A Vite plugin: the guide as data (`virtual:guide`), and only its headings (`virtual:guide-headings`), for the palette; in dev,
 * build and vitest.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plugin } from "vite";
import { readGuide } from "./read-guide.ts";

const source = resolve(import.meta.dirname, "../docs/mods.md");
const guideName = "virtual:guide";
const headingsName = "virtual:guide-headings";
const resolvedOf = (name: string) => `\0${name}`;

export function guide(): Plugin {
  return {
    name: "midtoken-guide",
    resolveId: (id) => (id === guideName || id === headingsName ? resolvedOf(id) : null),
    load(id) {
      if (id !== resolvedOf(guideName) && id !== resolvedOf(headingsName)) return null;
      this.addWatchFile(source);
      const sections = readGuide(readFileSync(source, "utf8"));
      if (id === resolvedOf(guideName)) return `export const guide = ${JSON.stringify(sections)};\n`;
      const headings = sections.map(({ id: section, title, depth }) => ({ id: section, title, depth }));
      return `export const guideHeadings = ${JSON.stringify(headings)};\n`;
    },
  };
}

/**
 * A Vite plugin: what fetches the styles of a piece of the page before the piece itself runs, in place of Vite's own helper, which
 * stands in the first scripts of both halves of the page and weighs three times as much. Only in builds.
 *
 * Vite writes each `import("./piece.tsx")` as a call of `__vitePreload`, with the paths of what the piece needs. A style sheet that
 * did not come is asked for again at the next call; Vite's helper leaves its `<link>` where it is, and asks no more.
 */
import type { Plugin } from "vite";

/** The name by which Vite's builds import the helper. */
const helperId = "\0vite/preload-helper.js";

/** `import { fetchWith } from "virtual:preload"`: the same for a script that no `import()` names. */
export const preloadHelperModuleId = "virtual:preload";

/** The error has the same message as in Vite's helper, because `src/core/base/import-part.ts` recognizes it. */
const helper = `const asked = new Map();
const ask = (href) => {
  const link = document.createElement("link");
  const isStyle = href.endsWith(".css");
  link.rel = isStyle ? "stylesheet" : "modulepreload";
  link.crossOrigin = "";
  link.href = href;
  const settled = isStyle && new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      asked.delete(href);
      reject(new Error("Unable to preload CSS for " + href));
    };
  });
  document.head.append(link);
  return settled;
};
export const __vitePreload = async (load, paths = [], importer) => {
  for (const { href } of document.querySelectorAll("link[href]")) if (!asked.has(href)) asked.set(href, null);
  await Promise.all(paths.map((path) => {
    const { href } = new URL(path, importer);
    if (!asked.has(href)) asked.set(href, ask(href));
    return asked.get(href);
  }));
  return load();
};
export const fetchWith = __vitePreload;
`;

/**
 * The files of a piece without its scripts: if the preload of a script failed, the browser never fetches this script again, and a
 * piece that imports it could not load either (`src/core/base/import-part.ts`).
 */
export function stylesOnly(_file: string, needed: readonly string[]): string[] {
  return needed.filter((path) => path.endsWith(".css"));
}

export function preloadHelperPlugin(): Plugin {
  return {
    name: "midtoken-preload",
    apply: "build",
    enforce: "pre",
    resolveId: (id) => (id === preloadHelperModuleId || id === helperId ? helperId : null),
    load: (id) => (id === helperId ? { code: helper, moduleSideEffects: false } : null),
  };
}

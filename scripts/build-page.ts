/** Builds the page into `dist` if a source is newer than the build. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";

const root = resolve(import.meta.dirname, "..");
const inputs = [
  "src",
  "docs/mods.md",
  "public",
  "index.html",
  "models.json",
  "package-lock.json",
  "vite.config.ts",
  "scripts",
];

/** Time of the latest change below a path, in milliseconds since 1970. */
function newest(path: string): number {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return Math.max(info.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Folder of the built page. */
export async function buildPageIfStale(onBuild: () => void): Promise<string> {
  const page = join(root, "dist/index.html");
  const built = existsSync(page) ? statSync(page).mtimeMs : 0;
  if (inputs.some((input) => newest(join(root, input)) > built)) {
    onBuild();
    // Warnings are for developers, who run `npm run build`.
    await build({ root, logLevel: "error" });
  }
  return join(root, "dist");
}

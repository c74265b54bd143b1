/** Lists every file that `npm pack` puts into the npm package. */
import { execFileSync } from "node:child_process";

/** Paths below the package's folder, sorted, as npm lists them. */
export function packageFiles(folder: string): readonly string[] {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  const said = execFileSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const [packed] = JSON.parse(said) as [{ readonly files: readonly { readonly path: string }[] }];
  return packed.files.map(({ path }) => path).sort();
}

/**
 * `npm run package [-- --pack] [-- --report]`: builds the npm package in `dist/package`. `--pack` makes its tarball beside it, and
 * `--report` writes `docs/api`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { apiReport } from "./api-report.ts";
import { bundlePackage } from "./bundle.ts";
import { packageFiles } from "./contents.ts";
import { type Declarations, declarationPath, makeDeclarations, writeDeclarations } from "./declarations.ts";
import { licencesOf } from "./licences.ts";
import { packageManifest } from "./manifest.ts";
import { packageFolder, root, subpaths } from "./subpaths.ts";

/** Builds all of it anew. @param folder of the package. */
export async function buildPackage(folder: string = packageFolder): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const dist = resolve(folder, "dist");
  const bundled = await bundlePackage(dist);
  await writeDeclarations(declarations(), dist);
  writeFileSync(resolve(folder, "package.json"), `${JSON.stringify(packageManifest(), null, 2)}\n`);
  writeFileSync(resolve(folder, "THIRD-PARTY-LICENSES.txt"), `${licencesOf(bundled)}\n`);
  copyFileSync(resolve(root, "LICENSE"), resolve(folder, "LICENSE"));
  copyFileSync(resolve(root, "docs/package.md"), resolve(folder, "README.md"));
}

/** The path of the tarball, made from a built package. */
export function packTarball(folder: string = packageFolder): string {
  const target = resolve(folder, "..");
  mkdirSync(target, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", target];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: folder, encoding: "utf8" })) as [
    { readonly filename: string },
  ];
  return resolve(target, packed.filename);
}

function declarations(): Declarations {
  return makeDeclarations(subpaths.map(({ source }) => source));
}

/** File name in `docs/api` → its text. */
export function apiReports(made: Declarations = declarations()): ReadonlyMap<string, string> {
  return new Map(
    subpaths.map(({ path, name, source }) => [
      `${name}.md`,
      apiReport(`midtoken${path.slice(1)}`, declarationPath(source), made),
    ]),
  );
}

/** The list of the package's files. */
export const contentsFile: string = resolve(import.meta.dirname, "contents.txt");

/** Where the reports are kept. */
export const reportFolder: string = resolve(root, "docs/api");

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { pack: { type: "boolean", default: false }, report: { type: "boolean", default: false } },
  });
  if (values.report) {
    mkdirSync(reportFolder, { recursive: true });
    for (const [name, text] of apiReports()) writeFileSync(resolve(reportFolder, name), text);
  }
  await buildPackage();
  if (values.report) writeFileSync(contentsFile, `${packageFiles(packageFolder).join("\n")}\n`);
  console.log(packageFolder);
  if (values.pack) console.log(packTarball());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

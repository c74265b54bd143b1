/**
 * `npm run package [-- --pack] [-- --report]`: builds the npm package in `dist/package`. `--pack` also makes the tarball, and
 * `--report` writes `docs/api`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { apiReports } from "./api-report.ts";
import { bundlePackage } from "./bundle.ts";
import { packageFiles } from "./contents.ts";
import { type Declarations, declarationPath, makeDeclarations, writeDeclarations } from "./declarations.ts";
import { licencesOf } from "./licences.ts";
import { packageManifest } from "./manifest.ts";
import { writePackageDocuments } from "./package-docs.ts";
import { packageFolder, root, subpaths } from "./subpaths.ts";

/** Builds the whole package. @param folder of the package */
export async function buildPackage(folder: string = packageFolder): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const dist = resolve(folder, "dist");
  const bundled = await bundlePackage(dist);
  await writeDeclarations(declarations(), dist);
  writeFileSync(resolve(folder, "package.json"), `${JSON.stringify(packageManifest(), null, 2)}\n`);
  writeFileSync(resolve(folder, "THIRD-PARTY-LICENSES.txt"), `${licencesOf(bundled)}\n`);
  copyFileSync(resolve(root, "LICENSE"), resolve(folder, "LICENSE"));
  copyFileSync(resolve(root, "docs/package.md"), resolve(folder, "README.md"));
  writePackageDocuments(folder);
}

/** Makes the tarball of a built package and returns its path. */
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

/** The order of the entries in `docs/api`. If several entries export a name, the first of them describes it: basic entries stand first. */
const reportOrder = [
  "mod",
  "strategies",
  "flow",
  "masks",
  "trace",
  "timeline",
  "index",
  "session",
  "react",
  "ai-sdk",
  "openai",
  "testing",
  "node",
];

/** File name in `docs/api` → text. @throws Error for an entry that is missing in `reportOrder` */
export function packageReports(made: Declarations = declarations()): ReadonlyMap<string, string> {
  const entries = subpaths.map(({ path, name, source }) => {
    const place = reportOrder.indexOf(name);
    if (place < 0)
      throw new Error(`The entry ${name} is new: add it to reportOrder in scripts/package/build.ts.`);
    return { place, title: `midtoken${path.slice(1)}`, file: `${name}.md`, path: declarationPath(source) };
  });
  entries.sort((one, other) => one.place - other.place);
  return apiReports(entries, made);
}

/** The list of the package's files. */
export const contentsFile: string = resolve(import.meta.dirname, "contents.txt");

/** The folder of the reports. */
export const reportFolder: string = resolve(root, "docs/api");

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { pack: { type: "boolean", default: false }, report: { type: "boolean", default: false } },
  });
  if (values.report) {
    mkdirSync(reportFolder, { recursive: true });
    for (const [name, text] of packageReports()) writeFileSync(resolve(reportFolder, name), text);
  }
  await buildPackage();
  if (values.report) writeFileSync(contentsFile, `${packageFiles(packageFolder).join("\n")}\n`);
  console.log(packageFolder);
  if (!values.pack) return;
  if (packageManifest().repository === undefined)
    console.log(
      "The package names no homepage, repository and bugs: the git remote origin is at no public host.",
    );
  console.log(packTarball());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

/** Bundles the page with empty lists of features: every import of the page must resolve, and none may lead to a feature. */
import { existsSync, readdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import { build, type Plugin } from "vite";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const entries = ["main.ts", "viewer.tsx", "file-viewer.tsx"].map((file) => `src/page/app/${file}`);

/** The lists of features, as a page without features has them. */
const emptyLists: Readonly<Record<string, string>> = {
  "src/page/app/features/features.ts": "export const features = [];",
  "src/page/app/features/link-kinds.ts":
    "export const linkKinds = []; export const isFeatureLink = () => false;",
};

/** The folders of each feature, which `src/page-features.test.ts` compares with the list of features. */
const featureFolders = readdirSync(resolve(root, "src/page/app"))
  .filter((name) => existsSync(resolve(root, `src/page/app/${name}/${name}-feature.ts`)))
  .flatMap((name) => [`src/page/app/${name}/`, `src/page/${name}/`, `src/core/${name}/`])
  .filter((folder) => existsSync(resolve(root, folder)));

interface Bundled {
  /** Imports that lead to a feature, as "FILE imports FILE". */
  readonly featureImports: readonly string[];
  /** The files of the page that were bundled. */
  readonly files: ReadonlySet<string>;
}

/** Bundles the scripts of the page. Its other parts (packages, style sheets, engine) stay outside the bundle. */
async function bundlePage(lists: Readonly<Record<string, string>>): Promise<Bundled> {
  const featureImports: string[] = [];
  const files = new Set<string>();
  const pageOnly: Plugin = {
    name: "page-only",
    enforce: "pre",
    resolveId(specifier, importer) {
      if (importer === undefined) return null;
      const target = relative(root, resolve(importer, "..", specifier));
      if (!specifier.startsWith(".") || !/^src\/.*\.tsx?$/.test(target))
        return { id: specifier, external: true };
      if (featureFolders.some((folder) => target.startsWith(folder)))
        featureImports.push(`${relative(root, importer)} imports ${target}`);
      const isOfPage = ["src/page/", ...featureFolders].some((folder) => target.startsWith(folder));
      return { id: resolve(root, target), external: !isOfPage };
    },
    load(id) {
      const file = relative(root, id);
      files.add(file);
      return lists[file] ?? null;
    },
  };
  await build({
    root,
    configFile: false,
    logLevel: "silent",
    publicDir: false,
    plugins: [pageOnly],
    build: { write: false, minify: false, target: "esnext", rolldownOptions: { input: entries } },
  });
  return { featureImports, files };
}

test("the page builds without experiments, vectors and live sharing", async () => {
  const { featureImports, files } = await bundlePage(emptyLists);
  expect(featureImports).toEqual([]);
  expect([...files]).toEqual(
    expect.arrayContaining(["src/page/app/playground.tsx", ...Object.keys(emptyLists)]),
  );
});

test("with its lists, the page reaches each feature through them alone", async () => {
  const { featureImports, files } = await bundlePage({});
  const registered = featureImports
    .filter((found) => !featureFolders.some((folder) => found.startsWith(folder)))
    .map((found) => found.split(" imports "));
  expect(new Set(registered.map(([importer]) => importer))).toEqual(new Set(Object.keys(emptyLists)));
  for (const folder of featureFolders) expect([...files].some((file) => file.startsWith(folder))).toBe(true);
});

test("an import that the page needs and does not have fails the build", async () => {
  const missing = { "src/page/app/features/features.ts": "export const others = [];" };
  await expect(bundlePage({ ...emptyLists, ...missing })).rejects.toThrow(/"features"/);
});

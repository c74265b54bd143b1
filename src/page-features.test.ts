/** The page imports experiments, vectors and live sharing through the lists of features alone. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { importsOf, isTestFile, sources } from "../scripts/testing/imports.ts";

/** The features of the page: each folder of `src/page/app` with a registration. */
const pageFeatures = readdirSync("src/page/app").filter((name) =>
  existsSync(`src/page/app/${name}/${name}-feature.ts`),
);

/** No other file of `src/page/app` imports from these folders, and no other feature. */
const foldersOfFeature = (name: string) => [`src/page/app/${name}`, `src/page/${name}`, `src/core/${name}`];

/** The files of `src/page/app` that import every feature. */
const featureLists = ["src/page/app/features/features.ts", "src/page/app/features/link-kinds.ts"];

/** Imports of the page from a feature, around the lists of features. */
function featureImports(path: string, text: string): string[] {
  if (!path.startsWith("src/page/app/") || isTestFile(path) || featureLists.includes(path)) return [];
  const isIn = (file: string, folders: readonly string[]) =>
    folders.some((folder) => file.startsWith(`${folder}/`));
  const others = pageFeatures.map(foldersOfFeature).filter((folders) => !isIn(path, folders));
  return importsOf(path, text)
    .filter((target) => isIn(target, others.flat()))
    .map((target) => `${path} imports ${target}`);
}

test("the page imports its features through the lists of features alone, and no feature imports another", () => {
  expect(sources("src/page/app").flatMap((path) => featureImports(path, readFileSync(path, "utf8")))).toEqual(
    [],
  );
});

test("the list of features imports each registration", () => {
  const [list = ""] = featureLists;
  const registered = importsOf(list, readFileSync(list, "utf8")).filter(
    (path) => !path.includes("/features/"),
  );
  expect(registered.toSorted()).toEqual(
    pageFeatures.map((name) => `src/page/app/${name}/${name}-feature.ts`).toSorted(),
  );
});

test("a planted import of a feature into the page, or into another feature, is found", () => {
  const text = 'import { x } from "../vectors/vector-library.ts";\n';
  expect(featureImports("src/page/app/bar/planted.tsx", text)).toHaveLength(1);
  expect(featureImports("src/page/app/live/planted.ts", text)).toHaveLength(1);
  expect(featureImports("src/page/app/vectors/planted.ts", text)).toEqual([]);
  const dynamic = 'const load = () => import("../../live/sharing.ts");\n';
  expect(featureImports("src/page/app/share/planted.ts", dynamic)).toHaveLength(1);
});

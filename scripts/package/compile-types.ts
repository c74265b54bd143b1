/** Compiles a user's project against the package's types. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Declarations, makeDeclarations, writeDeclarations } from "./declarations.ts";
import { packageManifest } from "./manifest.ts";
import { root, subpaths } from "./subpaths.ts";

export interface ConsumerProject {
  readonly folder: string;
  remove(): void;
}

/** `node.ts` is a program for Node; `all.ts` imports every entry, for browsers. */
type ProgramName = "node.ts" | "all.ts";

const nodeProgram = `import { mod } from "midtoken/mod";
import { canRunInNode, createNodeEngine, modelOf, type ModTests } from "midtoken/node";
import { createFetchHandler } from "midtoken/openai";

const engine = await createNodeEngine({ model: "./models/mine" });
engine.mods.registerTrusted(mod({ added: (_event, actions) => actions.forceTokens(" Max") }), { name: "max" });
const messages = [{ role: "user", content: "Once upon a time" }] as const;
const answer = await engine.chat.completions.create({ model: "mine/max", messages });
const text: string | null | undefined = answer.choices[0]?.message.content;
const handler: (request: Request) => Promise<Response> = createFetchHandler(engine);
const tests = { model: "./models/mine", mods: [], cases: [] } satisfies ModTests;
console.log(text, handler, tests, await canRunInNode("./models/mine"), await modelOf("./models/mine"));
engine.dispose();
`;

/** Packages whose types some entries import: a user installs them beside ours. */
const peers = ["@types/node", "@types/react", "@ai-sdk/provider"];

/** @param declarations of the package; generated from the sources unless given */
export async function createConsumerProject(
  declarations: Declarations = makeDeclarations(subpaths.map(({ source }) => source)),
): Promise<ConsumerProject> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-types-"));
  const installed = join(folder, "node_modules/midtoken");
  mkdirSync(installed, { recursive: true });
  await writeDeclarations(declarations, join(installed, "dist"));
  writeFileSync(join(installed, "package.json"), JSON.stringify(packageManifest()));
  for (const peer of peers) {
    mkdirSync(dirname(join(folder, "node_modules", peer)), { recursive: true });
    symlinkSync(resolve(root, "node_modules", peer), join(folder, "node_modules", peer), "dir");
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "node.ts"), nodeProgram);
  const lines = subpaths.map(({ path, name }) => {
    return `export * as ${name.replaceAll("-", "_")} from "midtoken${path.slice(1)}";\n`;
  });
  writeFileSync(join(folder, "all.ts"), lines.join(""));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const libraries: Readonly<Record<ProgramName, string>> = {
  "node.ts": "es2022",
  "all.ts": "es2022,dom,dom.iterable",
};

/** The compiler's errors; "" if there are none. @param compiler folder of the package `typescript` */
export function compilerErrors(
  { folder }: ConsumerProject,
  compiler: string,
  program: ProgramName,
  skipLibCheck: boolean,
): string {
  const target = ["--noEmit", "--strict", "--target", "es2022", "--types", "node"];
  const modules = ["--module", "nodenext", "--moduleResolution", "nodenext"];
  const checks = ["--lib", libraries[program], "--skipLibCheck", String(skipLibCheck)];
  const words = [join(compiler, "bin/tsc"), ...target, ...modules, ...checks, program];
  try {
    execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error);
  }
}

/** The oldest TypeScript versions that docs/package.md names, installed from npm, on the package's types. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ConsumerProject,
  compilerErrors,
  createConsumerProject,
} from "../../../scripts/package/compile-types.ts";
import { type BenchRow, exactly } from "../machine.ts";

/** `errors`: whether the compiler is to refuse the types. */
const compilers = [
  { version: "5.0.4", skipLibCheck: true, errors: false },
  { version: "4.9.5", skipLibCheck: true, errors: true },
  { version: "5.7.3", skipLibCheck: false, errors: false },
  { version: "5.6.3", skipLibCheck: false, errors: true },
] as const;

/** One compiler after the other: a run that is cut off has the rows so far. */
export async function* typeRows(): AsyncGenerator<BenchRow[]> {
  const project = await createConsumerProject();
  const place = mkdtempSync(join(tmpdir(), "midtoken-compilers-"));
  try {
    const dependencies = Object.fromEntries(
      compilers.map(({ version }) => [`typescript-${version}`, `npm:typescript@${version}`]),
    );
    writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, dependencies }));
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    execFileSync("npm", ["install", "--prefer-offline", ...quiet], { cwd: place, stdio: "pipe" });
    for (const { version, skipLibCheck, errors } of compilers) {
      const compiler = join(place, "node_modules", `typescript-${version}`);
      const said = firstErrors(project, compiler, skipLibCheck);
      const isRight = (said !== "") === errors;
      if (!isRight) console.error(`TypeScript ${version}: ${said || "no error"}`);
      const verb = errors ? "refuses" : "takes";
      const row = `TypeScript ${version}, skipLibCheck: ${skipLibCheck}: ${verb} the package's types`;
      yield [exactly(row, isRight ? 1 : 0, "of 1", 1)];
    }
  } finally {
    project.remove();
    rmSync(place, { recursive: true, force: true });
  }
}

/** The errors of the first program that the compiler refuses; empty if the compiler takes both. */
function firstErrors(project: ConsumerProject, compiler: string, skipLibCheck: boolean): string {
  for (const program of ["node.ts", "all.ts"] as const) {
    const said = compilerErrors(project, compiler, program, skipLibCheck);
    if (said !== "") return said;
  }
  return "";
}

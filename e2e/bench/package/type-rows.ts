/** The oldest TypeScript versions that docs/package.md names, installed from npm, on the package's types. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilerErrors, createTypesProject } from "../../../scripts/package/compile-types.ts";
import { type BenchRow, exactly } from "../machine.ts";

/** `errors`: whether the compiler is to refuse the types. */
const compilers = [
  { version: "5.0.4", skipLibCheck: true, errors: false },
  { version: "4.9.5", skipLibCheck: true, errors: true },
  { version: "5.7.3", skipLibCheck: false, errors: false },
  { version: "5.6.3", skipLibCheck: false, errors: true },
] as const;

export async function typeRows(): Promise<BenchRow[]> {
  const project = await createTypesProject();
  const place = mkdtempSync(join(tmpdir(), "midtoken-compilers-"));
  try {
    const dependencies = Object.fromEntries(
      compilers.map(({ version }) => [`typescript-${version}`, `npm:typescript@${version}`]),
    );
    writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, dependencies }));
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    execFileSync("npm", ["install", "--prefer-offline", ...quiet], { cwd: place, stdio: "pipe" });
    return compilers.map(({ version, skipLibCheck, errors }) => {
      const compiler = join(place, "node_modules", `typescript-${version}`);
      const said = (["node.ts", "all.ts"] as const)
        .map((program) => compilerErrors(project, compiler, program, skipLibCheck))
        .join("");
      const isRight = (said !== "") === errors;
      if (!isRight) console.error(`TypeScript ${version}: ${said || "no error"}`);
      const verb = errors ? "refuses" : "takes";
      const row = `TypeScript ${version}, skipLibCheck: ${skipLibCheck}: ${verb} the package's types`;
      return exactly(row, isRight ? 1 : 0, "of 1", 1);
    });
  } finally {
    project.remove();
    rmSync(place, { recursive: true, force: true });
  }
}

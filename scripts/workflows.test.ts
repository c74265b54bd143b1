/** The workflows of the repository: what they run cannot be changed under them, and what may publish runs nothing else. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = ".github/workflows";
const workflows = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, "utf8"));

/** The jobs of a workflow as text: what is indented below each name. */
function jobsOf(workflow: string): string[] {
  const [, jobs = ""] = workflow.split(/^jobs:\n/m);
  return jobs.split(/^ {2}(?=\S)/m).filter((job) => job !== "");
}

/** What is wrong with a workflow, in words. */
function faultsOf(workflow: string): string[] {
  const actions = workflow.match(/(?<=\buses: ).*/g) ?? [];
  const loose = actions.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action));
  const faults = loose.map((action) => `${action} is not a commit with its version`);
  if (!/^permissions: \{\}$/m.test(workflow)) faults.push("jobs have more than what each asks for");
  for (const job of jobsOf(workflow)) {
    const [name] = job.split(":");
    if (/: write\b|write-all/.test(job) && /\brun:/.test(job))
      faults.push(`${name} may publish and runs commands`);
    if (/checkout@/.test(job) && !/persist-credentials: false/.test(job))
      faults.push(`${name} leaves its token about`);
    if (/npm (ci|install)(?!.*--ignore-scripts)/.test(job))
      faults.push(`${name} runs the scripts of packages`);
  }
  return faults;
}

test("actions are commits, and what may publish runs nothing else", () => {
  expect(workflows.length).toBeGreaterThan(0);
  expect(workflows.flatMap(faultsOf)).toEqual([]);
  expect(workflows.flatMap(jobsOf).length).toBeGreaterThan(workflows.length);
});

test("the page is published only after a build, and built only after every part of the tests", () => {
  const jobs = jobsOf(readFileSync(`${folder}/pages.yml`, "utf8"));
  const job = (name: string) => jobs.find((text) => text.startsWith(`${name}:`)) ?? "";
  expect(job("publish")).toContain("needs: build\n");
  expect(job("build")).toContain("needs: test\n");
  expect(job("test")).toMatch(/npm run test:all -- \$\{\{ matrix\.part \}\}/);
  const parts = [...job("test").matchAll(/^ {10}- (.*)$/gm)].map(([, part]) => part);
  const named = parts.flatMap((part) => [...(part ?? "").matchAll(/--part (\w+)/g)].map(([, name]) => name));
  expect([...new Set(named)].sort()).toEqual(["checks", "page", "sandbox", "unit", "webgpu"]);
  for (const name of ["unit", "page"])
    expect(parts.filter((part) => part?.startsWith(`--part ${name} `))).toEqual(
      [1, 2, 3].map((shard) => `--part ${name} --shard ${shard}/3`),
    );
});

test("planted faults are found", () => {
  const planted = `permissions:
  pages: write
jobs:
  all:
    permissions:
      pages: write
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
`;
  expect(faultsOf(planted)).toEqual([
    "actions/checkout@v4 is not a commit with its version",
    "jobs have more than what each asks for",
    "all may publish and runs commands",
    "all leaves its token about",
    "all runs the scripts of packages",
  ]);
});

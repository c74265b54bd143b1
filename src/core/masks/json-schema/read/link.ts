/**
 * Follows the references of all schemas that apply to a value, and finds references that lead nowhere or back to themselves.
 */
import { showJson } from "../../../base/show.ts";
import { ConstraintLimitError } from "../../strategy-error.ts";
import { divisorProblem, patternProblem } from "../scalars/scalars.ts";
import { followPointer, pointerStep, resolveUri, splitFragment } from "./resolve.ts";
import { refusal, type SchemaDocument, type SchemaPlace } from "./scan.ts";
import type { SchemaNode, SchemaReference } from "./schema-node.ts";

/** The longest chain of schemas that apply to one value. */
const LONGEST_CHAIN = 1_000;

/**
 * Links all schemas that `from` reaches, by keywords and references, and returns them. Schemas that an earlier call linked are
 * left out.
 * @throws StrategyError for a reference that leads nowhere or back to itself, and for a pattern or divisor that cannot be used;
 * ConstraintLimitError
 */
export function linkSchema(schemas: SchemaDocument, from: SchemaNode): readonly SchemaNode[] {
  const waiting = [from];
  const met: SchemaNode[] = [];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.linked) continue;
    node.linked = true;
    met.push(node);
    const { path, base } = node;
    node.targets = node.references.map((reference) => targetOf(schemas, path, base, reference));
    checkScalars(node);
    waiting.push(...node.inPlace(), ...node.parts());
  }
  checkCycles(met);
  return met;
}

function checkScalars(node: SchemaNode): void {
  const check = (problem: string | null, path: string) => {
    if (problem !== null) throw refusal(path, problem);
  };
  if (node.pattern !== null) check(patternProblem(node.pattern), `${node.path}/pattern`);
  for (const { pattern, node: child } of node.patternProperties) check(patternProblem(pattern), child.path);
  if (node.multipleOf !== null) check(divisorProblem(node.multipleOf), `${node.path}/multipleOf`);
}

function targetOf(
  schemas: SchemaDocument,
  path: string,
  from: string,
  { keyword, text }: SchemaReference,
): SchemaNode {
  const where = `${path}/${keyword}`;
  const { uri, fragment } = splitFragment(text);
  const base = resolveUri(from, uri);
  const resource = schemas.resources.get(base);
  if (resource === undefined) {
    throw refusal(
      where,
      `${showJson(text)} is in another document; copy it into $defs and refer to it there`,
    );
  }
  const place = placeOf(schemas, resource, base, fragment ?? "");
  if (place === null) throw refusal(where, `there is nothing at ${showJson(text)}`);
  if (isAmbiguous(schemas, keyword, base, fragment ?? "")) {
    throw refusal(where, `${showJson(text)} can mean different schemas; write $ref instead`);
  }
  return schemas.nodeAt(place);
}

/** Whether the target depends on the schemas through which the reference is reached. */
function isAmbiguous(
  { dynamicAnchors, recursiveAnchors }: SchemaDocument,
  keyword: SchemaReference["keyword"],
  base: string,
  fragment: string,
): boolean {
  if (keyword === "$dynamicRef") return (dynamicAnchors.get(fragment) ?? 0) > 1;
  return keyword === "$recursiveRef" && recursiveAnchors.has(base) && recursiveAnchors.size > 1;
}

function placeOf(
  schemas: SchemaDocument,
  resource: SchemaPlace,
  base: string,
  fragment: string,
): SchemaPlace | null {
  if (fragment === "") return resource;
  if (!fragment.startsWith("/")) return schemas.anchors.get(`${base}#${fragment}`) ?? null;
  const found = followPointer(resource.value, fragment);
  if (found === undefined) return null;
  const path = resource.path + found.names.map(pointerStep).join("");
  return { value: found.value, path, base };
}

/** A schema that applies to a value only because it applies to the value has no meaning. */
function checkCycles(nodes: readonly SchemaNode[]): void {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  const visit = (node: SchemaNode): void => {
    if (done.has(node)) return;
    if (open.has(node)) {
      throw refusal(
        node.path,
        "refers back to itself without going into a property or an item: it never ends",
      );
    }
    if (open.size > LONGEST_CHAIN) {
      throw new ConstraintLimitError(`more than ${LONGEST_CHAIN} schemas refer to each other`, node.path);
    }
    open.add(node);
    for (const next of node.inPlace()) visit(next);
    open.delete(node);
    done.add(node);
  };
  for (const node of nodes) visit(node);
}

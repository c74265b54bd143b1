/** The branch tree of a run: an origin, its branches, and their branches. Pure. */
import type { RunMetadata } from "./run-metadata.ts";

/** One line of the tree. The lines are listed from top to bottom. */
export interface BranchTreeMember {
  /** Null for a deleted run whose branches are still saved. */
  readonly run: RunMetadata | null;
  /** The id of the run; for a run that was deleted, a key that no run has. */
  readonly id: string;
  /** 0 for an origin. */
  readonly depth: number;
  /** Index of the parent's line in the list. */
  readonly parent: number | null;
  /** Number of the following lines that are its branches, and branches of them. */
  readonly below: number;
  /** The number of the run among the branches of its parent, counted from 1, and the number of these branches. */
  readonly position: number;
  readonly siblings: number;
}

interface Node {
  readonly run: RunMetadata | null;
  readonly id: string;
  readonly branches: Node[];
}

/** Branches are ordered by the token at which they begin, then by time. */
export function branchTree(runs: readonly RunMetadata[]): readonly BranchTreeMember[] {
  const nodes = new Map<string, Node>(runs.map((run) => [run.id, { run, id: run.id, branches: [] }]));
  const byRequest = new Map<string, Node>();
  for (const node of nodes.values()) {
    const request = node.run?.requestId ?? "";
    if (request !== "" && !byRequest.has(request)) byRequest.set(request, node);
  }
  const origins: Node[] = [];
  const lost = new Map<string, Node>();
  const above = new Map<Node, Node>();
  const lostOrigin = (request: string): Node => {
    const known = lost.get(request);
    if (known) return known;
    const node: Node = { run: null, id: `lost ${request}`, branches: [] };
    lost.set(request, node);
    origins.push(node);
    return node;
  };
  for (const node of nodes.values()) {
    const { branch = null, from = null } = node.run ?? {};
    const origin =
      branch === null
        ? null
        : (nodes.get(from ?? "") ?? byRequest.get(branch.requestId) ?? lostOrigin(branch.requestId));
    // Records may come from strangers: a run that branches off itself, or off its own branch, counts as an origin.
    if (origin === null || leadsTo(above, origin, node)) origins.push(node);
    else {
      above.set(node, origin);
      origin.branches.push(node);
    }
  }
  return listed(origins);
}

function leadsTo(above: ReadonlyMap<Node, Node>, from: Node, to: Node): boolean {
  for (let node: Node | undefined = from; node; node = above.get(node)) if (node === to) return true;
  return false;
}

/** Without recursion: a run may be a branch of a branch of thousands. */
function listed(origins: Node[]): readonly BranchTreeMember[] {
  const members: { -readonly [Key in keyof BranchTreeMember]: BranchTreeMember[Key] }[] = [];
  const ordered = (nodes: readonly Node[]) => nodes.toSorted(inOrder);
  type Waiting = { node: Node; parent: number | null; position: number; siblings: number };
  const waitingOf = (nodes: readonly Node[], parent: number | null): Waiting[] =>
    ordered(nodes)
      .map((node, place) => ({ node, parent, position: place + 1, siblings: nodes.length }))
      .reverse();
  const waiting = waitingOf(origins, null);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, parent, position, siblings } = next;
    const place = members.length;
    const depth = parent === null ? 0 : (members[parent]?.depth ?? 0) + 1;
    members.push({ run: node.run, id: node.id, depth, parent, below: 0, position, siblings });
    waiting.push(...waitingOf(node.branches, place));
  }
  for (const member of members.toReversed()) {
    const parent = member.parent === null ? undefined : members[member.parent];
    if (parent) parent.below += member.below + 1;
  }
  return members;
}

function inOrder({ run: one }: Node, { run: other }: Node): number {
  const at = (run: RunMetadata | null) => run?.branch?.index ?? -1;
  return at(one) - at(other) || (one?.when ?? 0) - (other?.when ?? 0);
}

/** The runs of a line and of all lines below it. */
export function withBranches(members: readonly BranchTreeMember[], place: number): readonly RunMetadata[] {
  const below = members[place]?.below ?? 0;
  return members.slice(place, place + below + 1).flatMap(({ run }) => run ?? []);
}

/**
 * Scores continuations of the output for a mod (`event.score`): the model reads them after the output, and then the KV cache
 * is set back, so that tokens and records are as if nothing had been scored.
 *
 * Continuations with a common beginning share its passes. Example: " a b", " a c" and " d" after an output whose logits are at
 * hand take one pass, over " a": its logits score both " b" and " c".
 */
import type { TokenId } from "../../sdk/request.ts";
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { TraceScores } from "../../trace/format/format.ts";
import { distributionOf } from "../logits/distribution.ts";
import { distributionOfSummary } from "../logits/logits-summary.ts";
import { isListed, type ModelLogits } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";
import { continuationsDigest } from "./edit-digest.ts";

/** The most rows of logits of one pass. */
const mostRows = 64;
const mostLogits = 8_000_000;

/** A place after some tokens that continuations share. */
interface TreeNode {
  readonly next: Map<TokenId, TreeNode>;
  /** By token; filled when the logits after the node are known. */
  readonly logprobs: Map<TokenId, number>;
}

/**
 * Scores continuations for one question to one mod, and appends each score to `scores` for the record of the call. The returned
 * function rejects with an Error if the context has no room, the budget is used up, or a mod reads or steers layers.
 */
export function scorerOf(state: DecodeState, scores: TraceScores[]): ScoreContinuations {
  return async (continuations) => {
    // One call after the other: the model computes for one mod at a time.
    const before = state.scoring.last;
    const work = before.catch(() => undefined).then(() => score(state, continuations));
    state.scoring.last = work;
    const scored = await work;
    scores.push(scored);
    return scored.logprobs;
  };
}

async function score(
  state: DecodeState,
  continuations: readonly (readonly TokenId[])[],
): Promise<TraceScores> {
  const { ports, output, scoring, limits, speculation } = state;
  const { kvCache, signal } = ports;
  // The speculative pass begins right after the mods are asked, and must end before another one begins.
  await Promise.resolve();
  await speculation.running;
  signal?.throwIfAborted();
  const longest = Math.max(...continuations.map(({ length }) => length));
  if (output.sequence.length + longest - 1 > kvCache.model.capacity)
    throw new RangeError(
      `The continuations were not scored: the context of ${kvCache.model.capacity} tokens already holds ${output.sequence.length}, and the longest continuation has ${longest} more. Score shorter continuations.`,
    );
  if (state.activations)
    throw new Error(
      "The continuations were not scored: scoring does not work in a request whose mods read or steer layers. Score in a request without these mods.",
    );
  if (scoring.passes >= limits.budget)
    throw new RangeError(
      `The continuations were not scored: scoring has used the request's budget of ${limits.budget} passes. Score at fewer events, or raise the budget.`,
    );
  const tree = treeOf(continuations);
  const passes = await readTree(state, tree);
  scoring.passes += passes;
  const logprobs = continuations.map((tokens) => Math.fround(logprobOf(tree, tokens)));
  return { logprobs, passes, digest: continuationsDigest(continuations) };
}

function treeOf(continuations: readonly (readonly TokenId[])[]): TreeNode {
  const root: TreeNode = { next: new Map(), logprobs: new Map() };
  for (const tokens of continuations) {
    let node = root;
    for (const token of tokens) {
      const next = node.next.get(token) ?? { next: new Map(), logprobs: new Map() };
      node.next.set(token, next);
      node = next;
    }
  }
  return root;
}

function logprobOf(root: TreeNode, tokens: readonly TokenId[]): number {
  let node = root;
  let sum = 0;
  for (const token of tokens) {
    sum += node.logprobs.get(token) ?? 0;
    node = node.next.get(token) ?? node;
  }
  return sum;
}

/** The tokens on the way to a place of the tree, and the places on the way; the first place is the root. */
interface Path {
  readonly tokens: readonly TokenId[];
  readonly nodes: readonly TreeNode[];
}

/** Fills the tree and returns the number of passes. Afterwards the KV cache is as before. */
async function readTree(state: DecodeState, root: TreeNode): Promise<number> {
  const { kvCache } = state.ports;
  const base = [...state.output.sequence];
  const shared = kvCache.sharedLength(base);
  const isWithoutLogits = shared === base.length && kvCache.logitsAfter(shared) === undefined;
  // Without these logits, the last token is read again together with the tokens after it.
  const kept = isWithoutLogits ? shared - 1 : shared;
  if (kept < kvCache.length) kvCache.truncate(kept);
  const remembered = kvCache.remember();
  const { passCount } = kvCache;
  try {
    const atHand = kvCache.length === base.length ? kvCache.logitsAfter(base.length) : undefined;
    if (atHand) await fill(root, atHand);
    for (const path of pathsOf(root)) await readPath(state, base, path);
    return kvCache.passCount - passCount;
  } finally {
    remembered.takeBack();
  }
}

/** A path to each deepest place that has a token after it, in an order in which neighbours share their beginnings. */
function pathsOf(root: TreeNode): readonly Path[] {
  const paths: Path[] = [];
  const open: Path[] = [{ tokens: [], nodes: [root] }];
  for (let path = open.pop(); path; path = open.pop()) {
    const { tokens, nodes } = path;
    const inner = [...(nodes.at(-1)?.next ?? [])].filter(([, node]) => node.next.size > 0);
    if (inner.length === 0) paths.push(path);
    for (const [token, node] of inner) open.push({ tokens: [...tokens, token], nodes: [...nodes, node] });
  }
  return paths;
}

/** Reads the tokens of a path, until the logits after each of its places are known. @throws ForwardError */
async function readPath(
  state: DecodeState,
  base: readonly TokenId[],
  { tokens, nodes }: Path,
): Promise<void> {
  const { kvCache, now, signal } = state.ports;
  const most = Math.max(1, Math.min(mostRows, Math.floor(mostLogits / kvCache.model.vocabularySize)));
  let first = nodes.findIndex(({ logprobs }) => logprobs.size === 0);
  while (first >= 0 && first < nodes.length) {
    const end = Math.min(nodes.length, first + (state.scoring.returnsLastLogitsOnly ? 1 : most));
    const wanted = nodes.slice(first, end);
    const text = [...base, ...tokens.slice(0, end - 1)];
    signal?.throwIfAborted();
    const { rows } = await kvCache.forward(text, now, wanted.length);
    if (rows.length < wanted.length) {
      state.scoring.returnsLastLogitsOnly = true;
      continue;
    }
    const own = rows.slice(-wanted.length);
    for (const [place, node] of wanted.entries()) {
      try {
        await fill(node, own[place] as ModelLogits);
      } catch (error) {
        throw kvCache.failureOf(error);
      }
    }
    first = end;
  }
}

/** Fills in the log-probabilities of the tokens that follow a place. */
async function fill({ next, logprobs }: TreeNode, row: ModelLogits): Promise<void> {
  const tokens = [...next.keys()];
  if (isListed(row)) {
    const listed = await row.logprobsOf(tokens);
    for (const [place, token] of tokens.entries()) logprobs.set(token, listed[place] ?? 0);
    return;
  }
  const isHere = row instanceof Float32Array;
  const logits = isHere ? tokens.map((token) => row[token] ?? 0) : await row.gather(tokens);
  const { logSumExp } = isHere ? distributionOf(row) : distributionOfSummary(row.summary);
  for (const [place, token] of tokens.entries()) logprobs.set(token, (logits[place] ?? 0) - logSumExp);
}

/**
 * One capability attempt: plain JavaScript that tries to get out, or to learn what it must not. The same text runs in the
 * sandbox and, as the control, in a worker without one. `T` holds the targets: see targets.ts.
 *
 * A body may return what it got hold of: a claim to have got out counts as a leak. A claim not to have does not count for
 * anything: `judge` says who decides. "servers": whether a packet arrived; "page": what the page finds in its own storage,
 * channels and documents; "report": what the code brought back, since it could only have it from the machine.
 */
export type Judge = "servers" | "page" | "report";

export interface Attack {
  readonly name: string;
  readonly judge: Judge;
  /** Body of an async function. */
  readonly body: string;
  /** Global names, any of which the attempt needs; where neither page nor worker has one, the attempt does not exist. */
  readonly feature?: string;
  /** It is run twice, one after the other, and judged by what the second brought back. */
  readonly twice?: boolean;
  /** The frame and its policy alone have to hold it back, though it only reports. */
  readonly isAskedOfWall?: boolean;
}

/** Targets of an attack, and the messages between the suite's page and Node. */

export interface Targets {
  /** Unique to mode and attack: whoever receives it knows where it came from. */
  readonly id: string;
  /** Addresses whose last part is the id, on another origin, on the page's own, and for sockets. */
  readonly cross: string;
  readonly same: string;
  readonly socket: string;
  /** UDP ports that listen, one pair for each mode. */
  readonly stunPort: number;
  readonly quicPort: number;
}

/**
 * `sandbox`: the real path. `wall`: the frame and its policy alone, nothing scrubbed, for what leaves the browser.
 * `control`: a worker of the page's own. `document`: a frame of the page's own, for attempts that need a document.
 */
export type Mode = "sandbox" | "wall" | "control" | "document";

export const modes: readonly Mode[] = ["sandbox", "wall", "control", "document"];

/** Where the attack server listens. */
export interface Ports {
  readonly http: number;
  readonly stun: Readonly<Record<Mode, number>>;
  readonly quic: Readonly<Record<Mode, number>>;
}

/** The outcome of an attempt, as far as the page can see; Node adds the hits of its servers. */
export interface Outcome {
  readonly name: string;
  readonly mode: Mode;
  /** The data that got out; null if nothing did. */
  readonly leak: string | null;
  /** For people: what the attack reported, or how it was stopped. */
  readonly note: string;
}

/** The results in a browser. */
export interface SuiteReport {
  readonly userAgent: string;
  readonly outcomes: readonly Outcome[];
  /** Attempts that do not exist in this browser, with the name that is missing. */
  readonly absent: readonly { readonly name: string; readonly feature: string }[];
  /** An error of the suite itself. */
  readonly failure: string | null;
  /** For the group "machine": the result of each generated use of Date and Intl, as `use hash`. */
  readonly uses: Readonly<Record<"sandbox" | "control", readonly string[]>> | null;
}

/** Checks, before a request starts, the deadlines that the request sets for its mods. */
import { defaultDeadlines } from "../sandbox/deadlines.ts";
import type { RunRequest } from "./protocol.ts";

/** Longest deadline, in milliseconds: ten minutes, for a mod that waits for a person. */
const longest = 600_000;

/** @throws RangeError that names the field, its value and what it has to be. */
export function checkRequestLimits({ deadlines = {}, mods }: Pick<RunRequest, "deadlines" | "mods">): void {
  const names = Object.keys(defaultDeadlines);
  for (const [name, value] of Object.entries(deadlines)) {
    if (!names.includes(name)) {
      throw new RangeError(`The request has a deadline for "${name}": there are ${names.join(", ")}.`);
    }
    if (!Number.isInteger(value) || value < 1 || value > longest) {
      throw new RangeError(
        `The request's deadlines.${name} is ${value}: it has to be a whole number of milliseconds from 1 to ${longest}.`,
      );
    }
  }
  for (const { name, entry } of mods) {
    if (entry === undefined || isName.test(entry)) continue;
    throw new RangeError(
      `The request's mod "${name}" is to run its export ${JSON.stringify(entry)}: give the name of an export, or leave it out for the default export.`,
    );
  }
}

const isName = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

import { acceptInstancesOfCopies } from "../base/recognise-copies.ts";

/** A strategy is invalid. The message says what is wrong, at which place, and what to write instead. */
export class StrategyError extends Error {
  static {
    acceptInstancesOfCopies(StrategyError, "StrategyError");
  }
  override readonly name = "StrategyError";
  /** `where`: a position ("column 5", "line 2, column 3") or a path ("#/properties/age/multipleOf"); empty when it is the whole. */
  constructor(
    readonly strategy: string,
    readonly where: string,
    readonly reason: string,
  ) {
    super(where === "" ? `${strategy}: ${reason}` : `${strategy}, ${where}: ${reason}`);
  }
}

/** A strategy that is right but too large: a bound on time or memory was met. */
export class ConstraintLimitError extends Error {
  static {
    acceptInstancesOfCopies(ConstraintLimitError, "ConstraintLimitError");
  }
  override readonly name = "ConstraintLimitError";
  /** `where`: the path of the part of a schema ("#/properties/age"), or the place of a grammar's rule ('line 2, column 1, rule "sum"'); empty when it is the whole. */
  constructor(
    readonly reason: string,
    readonly where: string = "",
  ) {
    const place = where === "" ? "" : `${where}: `;
    super(`The constraint is too complex: ${place}${reason}. Use a smaller schema, expression or grammar.`);
  }
}

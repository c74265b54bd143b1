/** There is one list of action types: every other list has all of these types. */
import { expect, test } from "vitest";
import { allowedActions } from "../../sdk/action.ts";
import { createActionBuilders } from "../../sdk/actions.ts";
import { eventTypes } from "../../sdk/event.ts";
import { actionTypes, effectiveActions } from "./action-types.ts";

const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

test("every type of action is allowed at some event", () => {
  expect(sorted(Object.values(allowedActions).flat())).toEqual(sorted(actionTypes));
});

test.each(eventTypes)("mods have a builder for each of them at %s", (event) => {
  const actions = createActionBuilders({ event } as never);
  expect(sorted(Object.keys(actions))).toEqual(sorted(actionTypes));
});

test("all but noop do something", () => {
  expect(sorted([...effectiveActions, "noop"])).toEqual(sorted(actionTypes));
});

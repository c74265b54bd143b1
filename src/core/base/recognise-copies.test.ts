import { beforeAll, expect, test, vi } from "vitest";
import type { Strategy } from "../masks/strategy.ts";

/** Another copy of a module, as in an app whose bundler copies modules. */
async function copyOf<Module>(load: () => Promise<Module>): Promise<Module> {
  vi.resetModules();
  return load();
}

const load = async () => ({
  ...(await import("../../package/api/api-error.ts")),
  ...(await import("../masks/strategy-error.ts")),
  ...(await import("../trace/format/trace-error.ts")),
  ...(await import("../trace/parse/check.ts")),
  ...(await import("../sdk/index.ts")),
  ...(await import("../sdk/mod.ts")),
  ...(await import("../sdk/strategies.ts")),
  ...(await import("../sdk/flow.ts")),
  ...(await import("../masks/index.ts")),
  ...(await import("../../package/http/http-error.ts")),
  ...(await import("../sdk/request-scope.ts")),
});

let ours: Awaited<ReturnType<typeof load>>;
let other: Awaited<ReturnType<typeof load>>;

beforeAll(async () => {
  ours = await copyOf(load);
  other = await copyOf(load);
  expect(other.ApiError).not.toBe(ours.ApiError);
});

test("an error of one copy is an instance of the class of another", () => {
  const error = other.invalidRequestError("The model is unknown.", "model");
  expect(error).toBeInstanceOf(ours.ApiError);
  expect(ours.apiErrorOf(error)).toBe(error);
  expect(new other.ConstraintLimitError("it is long")).toBeInstanceOf(ours.ConstraintLimitError);
});

test("a request scope of a version with other fields is left alone", async () => {
  const key = Symbol.for("midtoken.request-scope");
  Reflect.defineProperty(globalThis, key, { value: { conversations: [] }, configurable: true });
  try {
    const { requestState, withinRequest } = await copyOf(() => import("../sdk/request-scope.ts"));
    const count = requestState(() => 1);
    expect(await withinRequest("a", () => count.current)).toBe(1);
  } finally {
    Reflect.deleteProperty(globalThis, key);
  }
});

test("an error is an instance of its own class and the classes above it alone", () => {
  const older = new other.TraceError("damaged");
  const newer = new other.TraceVersionError("a field");
  expect(newer).toBeInstanceOf(ours.TraceError);
  expect(newer).toBeInstanceOf(ours.TraceVersionError);
  expect(older).not.toBeInstanceOf(ours.TraceVersionError);
  expect(older).not.toBeInstanceOf(ours.PathError);
  expect(new ours.PathError("a", "b")).toBeInstanceOf(ours.PathError);
  expect(new Error("any")).not.toBeInstanceOf(ours.ApiError);
  expect(null).not.toBeInstanceOf(ours.ApiError);
});

test("a mod, a strategy and a question of one copy are taken by another", () => {
  const made = other.mod({ sampled: () => null });
  expect(ours.isMod(made)).toBe(true);
  expect(ours.modHandlersSource(made)).toContain("sampled");
  const vocabulary = ours.vocabularyFromList(["a", "b"]);
  const matcher = ours.createMatcher(other.choices(["ab"]), vocabulary);
  matcher.accept([0, 1]);
  expect(matcher.answer).toBe("ab");
  const asked = other.question({
    name: "rain",
    prompt: "Is it raining?",
    strategy: other.choices(["yes", "no"]),
  });
  expect(() => ours.flow({ entry: asked })).not.toThrow();
});

test("a list of one copy knows the ending of another copy's strategy", () => {
  const vocabulary = ours.vocabularyFromList(["a", '"', ","]);
  const textsOf = (item: Strategy) => {
    const matcher = ours.createMatcher(ours.list(item, { wrap: '"', max: 1 }), vocabulary);
    matcher.accept([1, 0, 1]);
    return matcher.canEnd;
  };
  expect(textsOf(ours.chars("string", { stop: '"' }))).toBe(true);
  expect(textsOf(other.chars("string", { stop: '"' }))).toBe(true);
  expect(textsOf(other.until({ end: '"' }))).toBe(true);
});

test("the code of one copy reads the request that another copy's runner opened", async () => {
  const state = other.requestState(() => 7);
  const messages = [{ role: "user", content: "Hello" }] as const;
  ours.rememberRequest("1", { messages, tools: [], responseFormat: null });
  await ours.withinRequest("1", () => {
    expect(other.getConversation()).toEqual(messages);
    expect(state.current).toBe(7);
    state.current = 8;
    expect(() => other.requestState(() => 0)).toThrow("inside a handler");
  });
  expect(ours.hasDeclaredRequestStates()).toBe(true);
  ours.forgetRequest("1");
  await ours.withinRequest("1", () => expect(state.current).toBe(7));
});

test("trusted mods of two copies reply one after the other", async () => {
  const steps: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = new Promise<void>((ended) => {
    ours.takeTurn(async () => {
      steps.push("first begins");
      await held;
      steps.push("first ends");
      ended();
    });
  });
  const second = new Promise<void>((ended) => {
    other.takeTurn(async () => {
      steps.push("second");
      ended();
    });
  });
  await Promise.resolve();
  release();
  await Promise.all([first, second]);
  expect(steps).toEqual(["first begins", "first ends", "second"]);
});

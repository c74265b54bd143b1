import { beforeAll, expect, test, vi } from "vitest";

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

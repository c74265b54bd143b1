/** The search of the gallery. */
import type { Example } from "../../examples/index.ts";

interface Group {
  readonly title: string;
  readonly examples: readonly Example[];
}

/**
 * The examples whose title, description, name and group together hold every word of `text`, in their groups; groups without
 * examples are left out. `madeFor`: only examples that are made for this kind of model.
 */
export function findExamples(
  groups: readonly Group[],
  text: string,
  madeFor: Example["model"] | null = null,
): readonly Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.flatMap(({ title, examples }) => {
    const found = examples.filter((example) => {
      if (madeFor !== null && example.model !== madeFor) return false;
      const about = `${example.title} ${example.description} ${example.name} ${title}`.toLowerCase();
      return words.every((word) => about.includes(word));
    });
    return found.length === 0 ? [] : [{ title, examples: found }];
  });
}

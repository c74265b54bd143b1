/** Commands that lead to the sections of the guide. */
import { guideHeadings } from "virtual:guide-headings";
import type { PageActions } from "../page-actions.ts";
import type { Command } from "../palette/command.ts";
import { guideAddress } from "./guide-address.ts";

export function guideCommands(page: PageActions): readonly Command[] {
  return guideHeadings.map(({ id, title, depth }) => ({
    id: `guide-${id}`,
    group: "Guide",
    title: depth === 1 ? "Guide: how to write a mod" : title,
    ...(depth > 1 && { about: "guide" }),
    words: "help documentation docs manual reference about tutorial learn how to api",
    act: () => {
      location.hash = guideAddress(depth === 1 ? "" : id);
      page.show("guide");
    },
  }));
}

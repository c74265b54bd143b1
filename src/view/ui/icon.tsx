/** Line icons on a 16 px grid. They are decoration: the control with the icon has the name. */
import { chevronDownPath, IconShape } from "./icon-shape.tsx";

const paths = {
  play: "M5 3.2v9.6l8-4.8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  stop: "M4.5 4.5h7v7h-7z",
  step: "M4 3.5v9l6-4.5zM12 3.5v9",
  stepEvent: "M3.5 8h8M8.5 5L11.5 8l-3 3M13.5 3.5v9",
  breakpoint: "M8 4a4 4 0 100 8 4 4 0 000-8",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  fit: "M2.5 4v8M13.5 4v8M5 8h6M6.5 6L4.8 8l1.7 2M9.5 6l1.7 2-1.7 2",
  close: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  check: "M3.5 8.5l3 3 6-7",
  down: chevronDownPath,
  right: "M6.5 4.5L10 8l-3.5 3.5",
  share: "M8 9.5v-7M5.5 5L8 2.5 10.5 5M3.5 8.5v4.5h9V8.5",
  download: "M8 2.5v7M5.5 7L8 9.5 10.5 7M3.5 12.5h9",
  sun: "M8 5.3a2.7 2.7 0 100 5.4 2.7 2.7 0 000-5.4M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13 9.6A5.5 5.5 0 016.4 3 5.5 5.5 0 1013 9.6z",
  auto: "M8 2.5a5.5 5.5 0 100 11zM8 2.5a5.5 5.5 0 010 11",
  help: "M5.8 6.1a2.2 2.2 0 114 1.2c-.7.8-1.8 1.1-1.8 2.3M8 12v.1",
  dice: "M3.5 3.5h9v9h-9zM6 6v.1M10 10v.1M10 6v.1M6 10v.1",
  lock: "M4.5 7.5h7v5.5h-7zM5.8 7.5V5.3a2.2 2.2 0 014.4 0v2.2",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  edit: "M3.5 12.5l.6-2.6 6.4-6.4 2 2-6.4 6.4z",
  more: "M3.5 8v.1M8 8v.1M12.5 8v.1",
  warning: "M8 2.8l5.7 10H2.3zM8 6.5v3M8 11.2v.1",
  link: "M6.7 9.3l2.6-2.6M7.3 4.9l1.3-1.3a2.7 2.7 0 013.8 3.8l-1.3 1.3M8.7 11.1l-1.3 1.3a2.7 2.7 0 01-3.8-3.8l1.3-1.3",
  chip: "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
  fold: "M8 2.5v3.5M6 4.5l2 2 2-2M8 13.5V10M6 11.5l2-2 2 2M3 8h10",
  folder: "M2.5 4h4l1.2 1.5h5.8v7h-11z",
  branch: "M4.5 13.5v-11M4.5 11.5c4 0 6.5-1.5 6.5-5V3.8M8.6 6.2L11 3.8l2.4 2.4",
  book: "M8 4.2C6.8 3.3 5 3 2.5 3v9.5c2.5 0 4.3.3 5.5 1.2 1.2-.9 3-1.2 5.5-1.2V3C11 3 9.2 3.3 8 4.2zM8 4.2v9.5",
  search: "M7 2.8a4.2 4.2 0 100 8.4 4.2 4.2 0 000-8.4M10.2 10.2l3.3 3.3",
  previous: "M10 4.5L6.5 8l3.5 3.5",
  history: "M3.2 5.2a5.5 5.5 0 11-.7 2.8M3 2.5v2.8h2.8M8 5v3.2l2.2 1.3",
  vector: "M4.5 7.5L8 13.5l3.5-6M3.5 4h9M10.5 2l2 2-2 2",
  flask: "M6.2 2.5h3.6M6.8 2.5v4L3.3 12.2a.9.9 0 00.8 1.3h7.8a.9.9 0 00.8-1.3L9.2 6.5v-4M5 10h6",
  star: "M8 2.3l1.75 3.6 3.95.55-2.87 2.77.7 3.93L8 11.25l-3.53 1.9.7-3.93L2.3 6.45l3.95-.55z",
  starred: "M8 2.3l1.75 3.6 3.95.55-2.87 2.77.7 3.93L8 11.25l-3.53 1.9.7-3.93L2.3 6.45l3.95-.55z",
} as const;

export type IconName = keyof typeof paths;

const solid: ReadonlySet<IconName> = new Set(["play", "stop", "starred"]);

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return <IconShape path={paths[name]} isSolid={solid.has(name)} size={size} />;
}

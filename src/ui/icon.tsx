/** Line icons on a 16 px grid. Decoration only: the control that holds one carries its name. */
const paths = {
  play: "M5 3.2v9.6l8-4.8z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  stop: "M4.500 4.500h7v7h-7z",
  step: "M4 3.500v9l6-4.500zM12 3.500v9",
  stepEvent: "M3.500 8h8M8.500 5L11.500 8l-3 3M13.500 3.500v9",
  breakpoint: "M8 4a4 4 0 100 8 4 4 0 000-8",
  plus: "M8 3.500v9M3.500 8h9",
  minus: "M3.500 8h9",
  close: "M4.500 4.500l7 7M11.500 4.500l-7 7",
  check: "M3.500 8.500l3 3 6-7",
  down: "M4.500 6.500L8 10l3.500-3.500",
  right: "M6.500 4.500L10 8l-3.500 3.500",
  share: "M8 9.500v-7M5.500 5L8 2.500 10.500 5M3.500 8.500v4.500h9V8.500",
  download: "M8 2.500v7M5.500 7L8 9.500 10.500 7M3.500 12.500h9",
  sun: "M8 5.300a2.700 2.700 0 100 5.400 2.700 2.700 0 000-5.400M8 1.500v1.300M8 13.200v1.300M1.500 8h1.300M13.200 8h1.300M3.400 3.400l.9.9M11.700 11.700l.9.9M12.600 3.400l-.9.9M4.300 11.700l-.9.9",
  moon: "M13 9.600A5.500 5.500 0 016.400 3 5.500 5.500 0 1013 9.600z",
  auto: "M8 2.500a5.500 5.500 0 100 11zM8 2.500a5.500 5.500 0 010 11",
  help: "M5.800 6.100a2.200 2.200 0 114 1.200c-.7.8-1.800 1.100-1.800 2.300M8 12v.1",
  dice: "M3.500 3.500h9v9h-9zM6 6v.1M10 10v.1M10 6v.1M6 10v.1",
  lock: "M4.500 7.500h7v5.500h-7zM5.800 7.500V5.300a2.200 2.200 0 014.400 0v2.200",
  trash: "M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500",
  edit: "M3.500 12.500l.6-2.600 6.400-6.400 2 2-6.400 6.400z",
  more: "M3.500 8v.1M8 8v.1M12.500 8v.1",
  warning: "M8 2.800l5.700 10H2.300zM8 6.500v3M8 11.200v.1",
  link: "M6.700 9.300l2.600-2.600M7.300 4.900l1.300-1.300a2.700 2.700 0 013.800 3.800l-1.300 1.300M8.700 11.100l-1.300 1.300a2.700 2.700 0 01-3.800-3.800l1.300-1.300",
  chip: "M4.500 4.500h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14",
  fold: "M8 2.500v3.500M6 4.500l2 2 2-2M8 13.500V10M6 11.500l2-2 2 2M3 8h10",
  folder: "M2.500 4h4l1.200 1.500h5.800v7h-11z",
  branch: "M4.500 13.500v-11M4.500 11.500c4 0 6.500-1.500 6.500-5V3.800M8.600 6.200L11 3.800l2.400 2.400",
  previous: "M10 4.500L6.500 8l3.500 3.500",
  history: "M3.200 5.200a5.500 5.500 0 11-.7 2.800M3 2.500v2.800h2.800M8 5v3.200l2.200 1.300",
  flask:
    "M6.200 2.500h3.600M6.800 2.500v4L3.300 12.200a.9.9 0 00.8 1.300h7.800a.9.9 0 00.8-1.300L9.200 6.500v-4M5 10h6",
  star: "M8 2.300l1.750 3.600 3.950.55-2.870 2.770.7 3.930L8 11.250l-3.530 1.900.7-3.930L2.300 6.450l3.950-.55z",
  starred:
    "M8 2.300l1.750 3.600 3.950.55-2.870 2.770.7 3.930L8 11.250l-3.530 1.900.7-3.930L2.300 6.450l3.950-.55z",
} as const;

export type IconName = keyof typeof paths;

const solid: ReadonlySet<IconName> = new Set(["play", "stop", "starred"]);

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={solid.has(name) ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

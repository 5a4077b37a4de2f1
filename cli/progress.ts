import type { Io } from "./io.ts";

/** Milliseconds between two lines without a terminal, and between two redraws in one. */
const PLAIN_EVERY = 5_000;
const REDRAW_EVERY = 100;
const WIDTH = 24;

/** How far a long task has come, on standard error. */
export interface ProgressLine {
  /** @param part from 0 to 1, where the whole is known */
  update(text: string, part?: number): void;
  /** Takes the bar away. */
  end(): void;
}

/** A bar in a terminal, a line every five seconds without one. */
export function showProgress({ talk, now }: Pick<Io, "talk" | "now">): ProgressLine {
  const isTerminal = talk.isTTY === true;
  // Work that is over at once says nothing.
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now();
  return {
    update(text, part) {
      if (now() - shownAt < (isTerminal ? REDRAW_EVERY : PLAIN_EVERY)) return;
      shownAt = now();
      const percent = part === undefined ? "" : `${Math.floor(Math.min(1, part) * 100)} % `;
      talk.write(isTerminal ? `\r\x1b[2K${bar(part)}${percent}${text}` : `${percent}${text}\n`);
    },
    end() {
      if (isTerminal && shownAt > 0) talk.write("\r\x1b[2K");
    },
  };
}

function bar(part: number | undefined): string {
  if (part === undefined) return "";
  const full = Math.round(Math.min(1, part) * WIDTH);
  return `[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] `;
}

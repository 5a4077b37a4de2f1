import type { Log } from "../../../lib/monitoring/log.ts";

export interface Line {
  level: string;
  message: string;
  details: Record<string, unknown>;
}

/** A logger that keeps what it is given. */
export function memoryLog(): Log & { lines: Line[] } {
  const lines: Line[] = [];
  const write =
    (level: string) =>
    (message: string, details: Record<string, unknown>): void =>
      void lines.push({ level, message, details });
  return { lines, debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

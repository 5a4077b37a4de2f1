import { PollerError } from "./errors.ts";

/** What a command says on standard error before it ends with exit code 1. Of an error that is not the poller's own only `unexpected` knows how to speak. */
export function oneLine(error: unknown, unexpected: (error: unknown) => string): string {
  // Errors of a bundle are of another copy of the class: known by their hint.
  const own = error instanceof PollerError || (error instanceof Error && "hint" in error && "code" in error);
  if (!own) return unexpected(error);
  const { message, hint } = error as PollerError;
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
  return `${sentence} ${hint}`.trim().replaceAll(/\s*\n\s*/g, " ");
}

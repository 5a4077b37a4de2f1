import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { onTestFinished } from "vitest";

/** Everything that the client tells of itself until the test ends, by channel. */
export function listen(): Record<"request" | "pause", unknown[]> {
  const told = { request: [], pause: [] };
  for (const [name, messages] of Object.entries<unknown[]>(told)) {
    const keep = (message: unknown): void => void messages.push(message);
    subscribe(`survey-poller:${name}`, keep);
    onTestFinished(() => void unsubscribe(`survey-poller:${name}`, keep));
  }
  return told;
}

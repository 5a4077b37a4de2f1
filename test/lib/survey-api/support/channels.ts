import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { onTestFinished } from "vitest";

/** Everything that the client tells of itself until the test ends, by channel: `request`, `retry`, `pause`, `token`, `irregular`. */
export function listen(): Record<"request" | "retry" | "pause" | "token" | "irregular", unknown[]> {
  const told = { request: [], retry: [], pause: [], token: [], irregular: [] };
  for (const [name, messages] of Object.entries<unknown[]>(told)) {
    const keep = (message: unknown): void => void messages.push(message);
    subscribe(`survey-poller:${name}`, keep);
    onTestFinished(() => void unsubscribe(`survey-poller:${name}`, keep));
  }
  return told;
}

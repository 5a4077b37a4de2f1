import { expect } from "vitest";
import type { DeliveredEvent } from "../../support/command.ts";

/** A repeat is the same event: only when and how it was detected may differ, and whether its words were certain then, never what it says. */
export function expectSameContents(events: readonly DeliveredEvent[], what: string): void {
  const contents = new Map<string, string>();
  for (const { detail } of events) {
    const { labelsMayDiffer: _, ...data } = detail.data;
    const said = JSON.stringify(data);
    expect(contents.get(detail.meta.eventId) ?? said, what).toBe(said);
    contents.set(detail.meta.eventId, said);
  }
}

import { describe, expect, it } from "vitest";
import type { Outages } from "../../../../lib/polling/model/account.ts";
import type { UsedPatience } from "../../../../lib/polling/model/ledger-entry.ts";
import { isGivenUp, usePatience } from "../../../../lib/polling/publish/outage.ts";

const MINUTE = 60_000;
const PATIENCE = 15 * MINUTE;

const holder = (now: number, outages: Outages = {}, enrichmentPatience = PATIENCE) => ({
  learned: { outages },
  source: { enrich: { metrics: true, metadata: true }, interval: MINUTE, enrichmentPatience },
  ports: { clock: { now: () => now } },
});

/** Attempts that fail at these minutes: at which of them it is given up. `outageAt` tells how metrics stand then. */
function givenUpAt(
  minutes: number[],
  outageAt: (now: number) => number | undefined = () => undefined,
): number | undefined {
  let used: UsedPatience | undefined;
  const [firstSeen = 0] = minutes;
  for (const [attempts, minute] of minutes.entries()) {
    const now = minute * MINUTE;
    const patience = { firstSeen: firstSeen * MINUTE, attempts, used };
    const since = outageAt(now);
    const by = holder(now, since === undefined ? {} : { metrics: since });
    if (isGivenUp(by, "metrics", patience)) return minute;
    used = usePatience(by, patience);
  }
  return undefined;
}

// R17
describe("a response is given up", () => {
  it("at the first attempt at which the patience is over", () => {
    expect(givenUpAt([0, 1, 5, 10, 14, 16, 20])).toBe(16);
    expect(givenUpAt([0, 7, 14, 15])).toBe(15);
  });

  it("not by attempts in a row, nor by one long after: three that are spread over it", () => {
    expect(givenUpAt([0, 0.001, 0.002, 0.003])).toBeUndefined();
    expect(givenUpAt([0, 0.001, 120])).toBeUndefined();
    expect(givenUpAt([0, 120])).toBeUndefined();
    expect(givenUpAt([0, 120, 240])).toBe(240);
    expect(givenUpAt([0, 0.1, 120, 121, 122, 124, 128])).toBe(128);
  });

  it("at once at the third attempt when there is to be no patience", () => {
    const patience = { firstSeen: 0, attempts: 2 };
    expect(isGivenUp(holder(0, {}, 0), "metrics", patience)).toBe(true);
    expect(isGivenUp(holder(0, {}, 0), "metrics", { ...patience, attempts: 1 })).toBe(false);
  });
});

describe("patience stands still", () => {
  it("while metrics fail for the whole source", () => {
    const attempts = [0, 5, 10, 15, 20, 40, 60, 120];
    expect(givenUpAt(attempts, () => 0)).toBeUndefined();
  });

  it("and goes on where it was once that is over", () => {
    // Ten minutes of it, an outage from minute 10 to 70, and five more.
    const outageAt = (now: number) => (now >= 10 * MINUTE && now <= 70 * MINUTE ? 10 * MINUTE : undefined);
    expect(givenUpAt([0, 5, 10, 30, 50, 70, 72, 74, 76], outageAt)).toBe(76);
  });

  it("for a day at most", () => {
    expect(givenUpAt([0, 5, 10, 60, 1440, 1446, 1456, 1460], () => 0)).toBe(1460);
  });

  it("for the operation that fails alone", () => {
    const by = holder(16 * MINUTE, { metadata: 0 });
    const patience = {
      firstSeen: 0,
      attempts: 3,
      used: {
        askedAt: 10 * MINUTE,
        waited: { metrics: 10 * MINUTE, metadata: 0 },
      },
    };
    expect(isGivenUp(by, "metrics", patience)).toBe(true);
    expect(isGivenUp(by, "metadata", patience)).toBe(false);
  });
});

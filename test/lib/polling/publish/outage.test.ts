import { expect, it } from "vitest";
import type { Outages } from "../../../../lib/polling/model/account.ts";
import type { UsedPatience } from "../../../../lib/polling/model/ledger-entry.ts";
import { isGivenUp, usePatience } from "../../../../lib/polling/publish/outage.ts";

const MINUTE = 60_000;

const holder = (now: number, outages: Outages = {}, enrichmentPatience = 15 * MINUTE) => ({
  learned: { outages },
  source: { enrich: { metrics: true, metadata: true }, interval: MINUTE, enrichmentPatience },
  ports: { clock: { now: () => now } },
});

// R17: attempts that fail at these minutes, the minute of the one at which it is given up, and the outage of metrics.
it.each<[what: string, minutes: number[], givenUpAt: number | undefined, outage?: [from: number, to: number]]>([
  ["at the first attempt at which the patience is over", [0, 1, 5, 10, 14, 16, 20], 16],
  ["at the very end of it", [0, 5, 10, 15], 15],
  ["not by attempts in a row", [0, 0.001, 0.002, 0.003], undefined],
  ["nor by one long after", [0, 0.001, 120], undefined],
  ["nor by three", [0, 120, 240], undefined],
  ["by four that are spread over it", [0, 120, 240, 360], 360],
  ["by those that are", [0, 0.1, 120, 123, 126, 130], 130],
  ["not while metrics fail for the whole source", [0, 5, 10, 15, 20, 40, 60, 120], undefined, [0, 120]],
  ["ten minutes before an outage, and five after it", [0, 5, 10, 30, 50, 70, 72, 74, 76], 76, [10, 70]],
  ["after a day of an outage", [0, 5, 10, 60, 1440, 1446, 1456, 1461], 1461, [0, 1461]],
])("a response is given up %s", (_what, minutes, givenUpAt, [from, to] = [Infinity, 0]) => {
  let used: UsedPatience | undefined;
  const found = minutes.find((minute) => {
    const patience = { firstSeen: (minutes[0] ?? 0) * MINUTE, used };
    const by = holder(minute * MINUTE, minute >= from && minute <= to ? { metrics: from * MINUTE } : {});
    used = usePatience(by, patience);
    return isGivenUp(by, "metrics", patience);
  });
  expect(found).toBe(givenUpAt);
});

it("patience stands still for the operation that fails alone", () => {
  const by = holder(16 * MINUTE, { metadata: 0 });
  const used = { askedAt: 10 * MINUTE, waited: { metrics: 10 * MINUTE, metadata: 0 } };
  const patience = { firstSeen: 0, used };
  expect([isGivenUp(by, "metrics", patience), isGivenUp(by, "metadata", patience)]).toEqual([true, false]);
});

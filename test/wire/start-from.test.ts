import { describe, test } from "vitest";
import { expectFromDate, expectFromNow } from "./support/expect-start-from.ts";

// The other sort keys are in the long suite.

describe("where history begins", () => {
  test.each(["hash"] as const)(
    "now, listed by %s: of 600 old responses none from before the start, and each of 40 new ones",
    expectFromNow,
  );
  test.each(["dateCompleted"] as const)(
    "a date, listed by %s: exactly what completed on that day of the service or later",
    expectFromDate,
  );
});

import { expect, it } from "vitest";
import { emptyMark } from "../../../../lib/polling/model/mark.ts";
import { failsPastEnd } from "../../../../lib/polling/routes/failing-end.ts";

const MINUTE = 60_000;
const noon = Date.UTC(2026, 2, 10, 12);
const fault = Object.assign(new Error("500"), { code: "SERVER_ERROR" });

it("a fault behind a short page is the end of the list ten minutes after it was met first, by a clock that was right or far ahead then", () => {
  for (const first of [noon, noon + 1_000_000 * MINUTE]) {
    const mark = emptyMark();
    const isEnd = (now: number): boolean =>
      failsPastEnd({ mark, ports: { clock: { now: () => now } } as never }, fault);
    expect([first, noon, noon + 9 * MINUTE, noon + 10 * MINUTE].map(isEnd)).toEqual([false, false, false, true]);
  }
});

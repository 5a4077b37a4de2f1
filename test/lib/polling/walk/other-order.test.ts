import { describe, expect, it } from "vitest";
import { type Carry, join } from "../../../../lib/polling/walk/join.ts";
import { endsHere } from "../../../../lib/polling/walk/other-order.ts";
import type { Page } from "../../../../lib/polling/walk/page.ts";
import { pageOf, readOf, whole } from "./pages-of.ts";

const failing = async () => {
  throw new Error("not to be asked");
};

/** What a walk carries behind these pages, of which the first one meets nothing that was read. */
function carryOf(pages: Page[], seam: "start" | "open"): Carry {
  let carry: Carry = [];
  for (const [i, { number, runs }] of pages.entries())
    carry = join(carry, { page: number, runs, seam: i === 0 ? seam : "proved" }).carry;
  return carry;
}

/** Whether the list ends with the last of these pages where the other order begins so. */
const ends = (pages: Page[], other: string[], seam: "start" | "open" = "start"): Promise<boolean> =>
  endsHere(pages.at(-1), carryOf(pages, seam), async () => readOf(...other));

// R9
describe("where a page fails, the list ends before it", () => {
  it("where the other order begins with the very records of the response that ends it", async () => {
    expect(await ends([pageOf(1, "1/1", "2/1", "2/2")], ["2/2", "2/1", "1/1"])).toBe(true);
  });

  it("not where the other order begins with another response", async () => {
    expect(await ends([pageOf(1, "1/1", "2/1", "2/2")], ["3/1", "2/2", "2/1", "1/1"])).toBe(false);
  });

  it("not where it shows more of that response, which goes on behind the page that fails", async () => {
    expect(await ends([pageOf(1, "1/1", "2/1", "2/2")], ["2/3", "2/2", "2/1", "1/1"])).toBe(false);
  });

  it("not where it shows fewer of them", async () => {
    expect(await ends([pageOf(1, "1/1", "2/1", "2/2")], ["2/2", "1/1"])).toBe(false);
  });

  it("where that response stands across a proved seam: all its pages count", async () => {
    expect(await ends([pageOf(1, "1/1", "2/1"), pageOf(2, "2/2", "2/3")], ["2/3", "2/2", "2/1", "1/1"])).toBe(true);
    expect(await ends([pageOf(1, "1/1", "2/1"), pageOf(2, "2/2", "2/3")], ["2/3", "2/2", "1/1"])).toBe(false);
  });

  it("also where the beginning of that response was not read: the others may be more", async () => {
    expect(await ends([pageOf(4, "2/2", "2/3")], ["2/3", "2/2", "2/1", "1/1"], "open")).toBe(true);
    expect(await ends([pageOf(4, "2/2", "2/3")], ["2/3", "2/1", "1/1"], "open")).toBe(false);
  });

  it("by the records that end the page where those of a response lie apart", async () => {
    expect(await ends([pageOf(1, "1/1", "2/1", "1/2")], ["1/2", "2/1", "1/1"])).toBe(true);
    expect(await ends([pageOf(1, "1/1", "2/1", "1/2")], ["1/3", "1/2", "2/1", "1/1"])).toBe(false);
  });

  it("not where a full page of the other order holds that response alone: it may go on there", async () => {
    expect(await ends([pageOf(1, ...whole(1, 100))], whole(1, 100))).toBe(false);
    expect(await ends([pageOf(1, ...whole(1, 99))], whole(1, 99))).toBe(true);
  });

  it("not where the other order shows nothing, and not before anything was read", async () => {
    expect(await endsHere(pageOf(1, "1/1"), carryOf([pageOf(1, "1/1")], "start"), async () => ({ kind: "none" }))).toBe(
      false,
    );
    expect(await endsHere(undefined, [], failing)).toBe(false);
  });
});

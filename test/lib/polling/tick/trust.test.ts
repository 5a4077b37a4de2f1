import { describe, expect, it } from "vitest";
import type { Trust } from "../../../../lib/polling/model/account.ts";
import { fullTrust, nextTrust, trusts } from "../../../../lib/polling/tick/trust.ts";

type Poll = { grown: number; found: number; isNewList?: boolean };

const trustAfter = (polls: Poll[], trust: Trust = fullTrust): Trust => polls.reduce<Trust>(nextTrust, trust);
const times = <T>(count: number, poll: T): T[] => Array.from({ length: count }, () => poll);

const shown: Poll = { grown: 1, found: 1 };
const unshown: Poll = { grown: 0, found: 1 };
const late: Poll = { grown: 1, found: 0 };
const idle: Poll = { grown: 0, found: 0 };

// R22
describe("the counts of a survey are trusted", () => {
  it.each<[string, Poll[]]>([
    ["at first", []],
    ["while they show what is found", times(50, shown)],
    [
      "while what they did not show is in the next list: they may lag behind the pages",
      times(20, [unshown, late]).flat(),
    ],
    ["while they show more than is found: starts may move them too", times(50, { grown: 3, found: 1 })],
    ["after two responses that they have never shown", [unshown, idle, unshown, idle]],
    [
      "while a second poll of a tick asks before there is another list",
      times(20, [unshown, { ...idle, isNewList: false }, late]).flat(),
    ],
    [
      "while such a second poll finds what the next list shows",
      times(20, [{ ...unshown, isNewList: false }, late]).flat(),
    ],
    ["when they lag by one response for ever", [unshown, ...times(50, shown)]],
  ])("%s", (_name, polls) => {
    expect(trusts(trustAfter(polls))).toBe(true);
  });

  it("no more once three responses in a row were not in the next list either", () => {
    const misses = times(3, [unshown, idle]).flat();
    expect(trusts(trustAfter(misses.slice(0, -1)))).toBe(true);
    expect(trusts(trustAfter(misses))).toBe(false);
  });

  it("again after twenty hits in a row, and not after nineteen", () => {
    const lost = trustAfter(times(3, [unshown, idle]).flat());
    expect(trusts(trustAfter(times(19, shown), lost))).toBe(false);
    expect(trusts(trustAfter(times(20, shown), lost))).toBe(true);
    expect(trusts(trustAfter([...times(19, shown), unshown, idle, shown], lost))).toBe(false);
  });

  it("again by growing, not by idle polls", () => {
    const lost = trustAfter(times(3, [unshown, idle]).flat());
    expect(trusts(trustAfter(times(100, idle), lost))).toBe(false);
    expect(trusts(trustAfter(times(100, late), lost))).toBe(false);
  });
});

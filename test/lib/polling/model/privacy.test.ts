import { describe, expect, it } from "vitest";
import { type Privacy, privateMetadata, privateRecord, truncateIp } from "../../../../lib/polling/model/privacy.ts";

const keep: Privacy = { ip: "keep", referrer: "keep", comments: "keep" };
const body = { responseId: 1, ip: "203.0.113.77", referrer: "https://example.com/?who=jane", os: "Linux" };

describe("a truncated address", () => {
  it.each([
    ["203.0.113.77", "203.0.113.0"],
    ["2001:db8:85a3:8d3:1319:8a2e:370:7348", "2001:db8:85a3::"],
    ["2001:db8::1", "2001:db8:0::"],
    ["::1", "0:0:0::"],
    ["fe80::1%eth0", "fe80:0:0::"],
    ["::ffff:203.0.113.77", "203.0.113.0"],
    ["::FFFF:203.0.113.77", "203.0.113.0"],
    ["::ffff:cb00:714d", "0:0:0::"],
    ["64:ff9b::203.0.113.77", "64:ff9b:0::"],
    ["::203.0.113.77", "0:0:0::"],
  ])("of %s is %s", (ip, expected) => {
    expect(truncateIp(ip)).toBe(expected);
  });

  it.each(["", "jane", "203.0.113", "203.0.113.77, 198.51.100.4", "203.0.113.77:443", "1.2.3.4/24"])(
    "of %j is none: what cannot be read is not passed on",
    (ip) => {
      expect(truncateIp(ip)).toBeNull();
    },
  );
});

describe("metadata", () => {
  it("is kept as it was read by default", () => {
    expect(privateMetadata(body, keep)).toEqual(body);
  });

  it("loses the end of the address, the whole of it, or the referrer, and nothing else", () => {
    expect(privateMetadata(body, { ...keep, ip: "truncate" })).toEqual({ ...body, ip: "203.0.113.0" });
    expect(privateMetadata(body, { ...keep, ip: "drop" })).toEqual({ ...body, ip: null });
    expect(privateMetadata(body, { ...keep, referrer: "drop" })).toEqual({ ...body, referrer: null });
  });

  it("in a form that is not documented loses them too", () => {
    const strict: Privacy = { ip: "truncate", referrer: "drop", comments: "drop" };
    expect(privateMetadata({ ip: 3_405_803_853 }, strict)).toEqual({ ip: null });
    expect(privateMetadata({ ip: ["203.0.113.77"] }, strict)).toEqual({ ip: null });
    expect(privateMetadata({ os: "Linux" }, strict)).toEqual({ os: "Linux" });
  });
});

describe("a record", () => {
  it("loses its comment when comments are dropped, whatever its type", () => {
    const drop: Privacy = { ...keep, comments: "drop" };
    expect(privateRecord({ questionId: 1, comment: "call 555" }, drop)).toEqual({ questionId: 1, comment: "" });
    expect(privateRecord({ questionId: 1, comment: { text: "call 555" } }, drop)).toEqual({
      questionId: 1,
      comment: "",
    });
    expect(privateRecord({ questionId: 1 }, drop)).toEqual({ questionId: 1 });
    expect(privateRecord({ questionId: 1, comment: "kept" }, keep)).toEqual({ questionId: 1, comment: "kept" });
    expect(privateRecord("text", drop)).toBe("text");
  });

  it("loses undocumented fields with the comments, as any of them may hold what was written", () => {
    const read = { questionId: 1, comment: "call 555", score: 2, otherText: "call 556", weight: 1.5 };
    expect(privateRecord(read, { ...keep, comments: "drop" })).toEqual({ questionId: 1, comment: "", score: 2 });
    expect(privateRecord(read, keep)).toEqual(read);
  });

  it("has its undocumented fields cut as those of metadata", () => {
    const read = { questionId: 1, ip: "203.0.113.77", referrer: "order-7", os: "Linux" };
    const strict: Privacy = { ...keep, ip: "truncate", referrer: "drop" };
    expect(privateRecord(read, strict)).toEqual({ questionId: 1, ip: "203.0.113.0", referrer: null, os: "Linux" });
  });
});

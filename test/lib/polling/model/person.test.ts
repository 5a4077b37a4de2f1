import { describe, expect, it } from "vitest";
import { personKeys, personOf } from "../../../../lib/polling/model/privacy.ts";

describe("the keys of a person", () => {
  it.each([
    ["each once, also where records differ", [{ crk: "a" }, { crk: "b" }, { crk: "a" }], {}, ["a", "b"], []],
    ["a number as the event has it", [{ crk: 7 }], { referrer: "r" }, ["7"], ["r"]],
    ["none where there is none", [{ crk: null }, { crk: "" }, "no record"], { referrer: null }, [], []],
    ["the referrer is not known without metadata", [{ crk: "a" }], undefined, ["a"], undefined],
  ])("%s", (_, records, metadata, crk, referrer) => {
    expect(personKeys(records, metadata)).toEqual({ crk, referrer });
  });
});

describe("an entry", () => {
  const records = [{ crk: "a" }];

  it("has nothing of a person unless that is asked for", () => {
    expect(personOf({}, records, { referrer: "r" })).toEqual({});
  });

  it("has hashes of the kinds that are asked for alone: of another one it does not say that there is none", () => {
    const personHashes = (kind: string) => (kind === "crk" ? (value: string) => `hash of ${value}` : undefined);
    expect(personOf({ personHashes }, records, { referrer: null })).toEqual({ person: { crk: ["hash of a"] } });
  });
});

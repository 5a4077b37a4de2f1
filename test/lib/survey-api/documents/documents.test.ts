import { describe, expect, it } from "vitest";
import surveyBody from "./fixtures/survey.json" with { type: "json" };
import { documents, reading } from "./support/documents.ts";
import { type Json, type Path, places, replaced } from "./support/json.ts";

const show = (path: Path): string => path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
const isObject = (value: Json): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Values of every kind but the one that is documented, by a value that is as documented. */
function wrongFor(value: Json): Json[] {
  const kinds: Json[] = ["7", 7, 1.5, true, ["x", {}], { "1": { x: null } }];
  const isSame = (kind: Json) => Array.isArray(kind) === Array.isArray(value) && typeof kind === typeof value;
  return kinds.filter((kind) => !isSame(kind) || kind === 1.5);
}

describe.each(documents)("$name", ({ name, body, read, orNull }) => {
  const oddPlaces = (value: Json) => {
    const found = read(value);
    return ("unreadable" in found ? found.unreadable : found.irregular).map(({ path }) => path);
  };
  const expectAsDocumented = (value: Json, what: string) => {
    const isUnwrapped = /^2.[267]/.test(name);
    expect(read(value), what).toEqual({ value: isUnwrapped ? (value as Json[])[0] : value, irregular: [] });
  };
  const all = [...places(body)];
  /** An element as a whole, or the map of them: what else is read in its place is in the table of answers. */
  const isWhole = (path: Path) => path.length <= (/^2.[67]/.test(name) ? 2 : 1);
  const nullSeen = new Set(
    all.filter(({ path, value }) => value === null && !orNull.includes(show(path))).map(({ path }) => path.at(-1)),
  );
  const typed = all.filter(({ path }) => !nullSeen.has(path.at(-1) ?? "") && !isWhole(path));

  it("is given back as it is documented", () => {
    expectAsDocumented(body, name);
  });

  it("has each field of another type, null where the document does not say so, or missing told at its own path", () => {
    for (const { path, value } of typed) {
      const where = show(path);
      const isNullable = orNull.includes(where);
      const isFieldOfItsOwn = typeof path.at(-1) === "string" && !/^(\d+|max)$/.test(String(path.at(-1)));
      const wrong = value === null ? [] : wrongFor(value);
      for (const put of [...wrong, ...(isNullable ? [] : [null]), ...(isFieldOfItsOwn ? [undefined] : [])])
        expect(oddPlaces(replaced(body, path, put)), `${where} = ${JSON.stringify(put)}`).toEqual([where]);
      if (isNullable) expectAsDocumented(replaced(body, path, null), where);
    }
  });

  it("may hold anything in a field that was only seen as null, or nothing", () => {
    for (const { path } of all.filter(({ path }) => nullSeen.has(path.at(-1) ?? ""))) {
      for (const anything of ["", 1.5, [null], { deep: [{}] }, undefined] as (Json | undefined)[])
        expectAsDocumented(replaced(body, path, anything), show(path));
    }
  });

  it("keeps an unknown field at every level", () => {
    // In a map by identifier an unknown field would be an element.
    const isMap = (path: Path) =>
      /ById$|Order$|^scoreArray$/.test(String(path.at(-1))) || (/^2.[67]/.test(name) && path.length === 1);
    const loose = all.filter(({ path, value }) => isObject(value) && !isMap(path));
    expect(loose.length).toBeGreaterThan(0);
    for (const { path } of loose)
      expectAsDocumented(replaced(body, [...path, "addedLater"], { anything: [1, null] }), show(path));
  });
});

describe("one survey", () => {
  it("may hold a field named __proto__, which stays a field", () => {
    const odd = JSON.parse('{"blocksOrder":[],"__proto__":{"surveyId":9}}');
    const found = reading("get survey", { ...surveyBody[0], ...odd });
    const value = "value" in found ? (found.value as object) : {};
    expect([Object.hasOwn(value, "__proto__"), Object.getPrototypeOf(value)]).toEqual([true, Object.prototype]);
  });
});

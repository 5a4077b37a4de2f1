import { describe, expect, it } from "vitest";
import { documentOf, documents, isNullable, isNullSeen } from "./support/documents.ts";
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

describe.each(documents)("$name", (document) => {
  const { body, read } = document;
  const oddPlaces = (value: Json) => {
    const reading = read(value);
    return ("unreadable" in reading ? reading.unreadable : reading.irregular).map(({ path }) => path);
  };
  const expectAsDocumented = (value: Json, what: string) => {
    const isUnwrapped = /^2.[267]/.test(document.name);
    const wanted = isUnwrapped && Array.isArray(value) ? value[0] : value;
    expect(read(value), what).toEqual({ value: wanted, irregular: [] });
  };
  const all = [...places(body)];
  /** What else is read in the place of the map of metrics, is told further on. */
  const isMetricMap = ({ path }: { path: Path }) => /^2.[67]/.test(document.name) && path.length === 1;
  const nullSeen = all.filter(({ path }) => isNullSeen(document, String(path.at(-1))));
  /** Fields with a documented type: no null seen ones, and none of the values that a null stands for in this sample. */
  const typed = all.filter((place) => place.value !== null && !nullSeen.includes(place) && !isMetricMap(place));
  /** Fields of an object with names of its own, as opposed to the elements of arrays and of maps by identifier. */
  const named = all.filter(({ path }) => typeof path.at(-1) === "string" && !/^\d+$/.test(String(path.at(-1))));

  it("accepts the documented sample and gives it back", () => {
    expectAsDocumented(body, document.name);
  });

  it("tells each field of a wrong type at its own path", () => {
    for (const { path, value } of typed) {
      for (const wrong of wrongFor(value)) {
        expect(oddPlaces(replaced(body, path, wrong)), `${show(path)} = ${JSON.stringify(wrong)}`).toEqual([
          show(path),
        ]);
      }
    }
  });

  it("accepts null where the document says so, and nowhere else", () => {
    for (const { path } of typed) {
      const expected = isNullable(document, path) ? [] : [show(path)];
      expect(oddPlaces(replaced(body, path, null)), show(path)).toEqual(expected);
    }
  });

  it("asks for every field that has a type", () => {
    for (const place of named) {
      const { path } = place;
      // The keys of scores are data, also `max`.
      if (path.includes("scoreArray") && path.at(-1) === "max") continue;
      const expected = nullSeen.includes(place) ? [] : [show(path)];
      expect(oddPlaces(replaced(body, path, undefined)), show(path)).toEqual(expected);
    }
  });

  it("takes anything for a field that was only seen as null", () => {
    for (const { path } of nullSeen) {
      for (const anything of ["", "text", 0, 1.5, true, [], [null], {}, { deep: [{}] }] as Json[]) {
        expectAsDocumented(replaced(body, path, anything), show(path));
      }
    }
  });

  it("keeps an unknown field at every level", () => {
    // In a map by identifier an unknown field would be an element.
    const isMap = ({ path }: { path: Path }) =>
      /ById$|Order$|^scoreArray$/.test(String(path.at(-1))) || (/^2.[67]/.test(document.name) && path.length === 1);
    const loose = all.filter((place) => isObject(place.value) && !isMap(place));
    expect(loose.length).toBeGreaterThan(0);
    for (const { path } of loose) {
      const more = replaced(body, [...path, "addedLater"], { anything: [1, null] });
      expectAsDocumented(more, show(path));
    }
  });
});

describe("misspelled names are the ones on the wire", () => {
  it.each<[string, string, string, Path]>([
    ["hideLableText", "hideLabelText", "2.3", [0, "questionParams"]],
    ["minPointSum", "minPointsSum", "2.7", [0, "31"]],
  ])("%s, not %s", (name, corrected, section, path) => {
    const { body, read } = documentOf(section);
    const renamed = replaced(replaced(body, [...path, name], undefined), [...path, corrected], 0);
    expect(read(renamed)).toMatchObject({ irregular: [{ path: expect.stringMatching(new RegExp(`${name}$`)) }] });
  });
});

import fc from "fast-check";
import { documents } from "../../documents/support/documents.ts";
import { type Json, type Path, places, replaced } from "../../documents/support/json.ts";

/** Names that mean something to JavaScript, to the readers or to the service. */
const names = [
  "__proto__",
  "constructor",
  "toString",
  "data",
  "result",
  "answers",
  "response",
  "records",
  "reports",
  "questionId",
  "responseId",
  "completed",
  "id",
  "0",
  "1",
  "00",
  "",
];

const nested = (depth: number): Json => {
  let value: Json = 1;
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { answers: value };
  return value;
};

/** JSON that services and attackers write: huge numbers, lone surrogates, deep nesting, fields of any name. */
export const anyJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json> },
  fc.constantFrom<Json>(null, 0, -0, -1, 1e308, 2 ** 53, Number.POSITIVE_INFINITY, "", "\uD800", "\u0000", [], {}, "7"),
  fc.string({ unit: "binary" }),
  fc.integer({ min: 1, max: 300 }).map(nested),
  {
    weight: 2,
    arbitrary: fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>),
  },
);

/** A documented body after some changes at random places: values replaced, fields taken away, fields added. */
export const mutatedDocument: fc.Arbitrary<Json> = fc
  .tuple(
    fc.constantFrom(...documents.map(({ body }) => body)),
    fc.array(fc.tuple(fc.nat(), fc.nat(2), anyJson), { maxLength: 4 }),
  )
  .map(([body, changes]) => {
    let changed: Json = body;
    for (const [where, how, put] of changes) {
      const path = placeIn(changed, where);
      if (how === 0) changed = replaced(changed, path, put);
      else if (how === 1 && path.length > 0) changed = replaced(changed, path, undefined);
      else changed = withField(changed, path, names[where % names.length] ?? "", put);
    }
    return changed;
  });

export const anyBody: fc.Arbitrary<Json> = fc.oneof(anyJson, { weight: 3, arbitrary: mutatedDocument });

/** Plants `secret` as a value and as a field name at random places of a body. */
export const withSecret = (secret: string): fc.Arbitrary<Json> =>
  fc
    .tuple(anyBody, fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 5 }))
    .map(([body, plants]) => {
      let planted: Json = [body];
      for (const [where, asName] of plants) {
        const path = placeIn(planted, where);
        planted = asName ? withField(planted, path, secret, where) : replaced(planted, path, secret);
      }
      return planted;
    });

function placeIn(body: Json, where: number): Path {
  const all = [...places(body)];
  return all[where % Math.max(1, all.length)]?.path ?? [];
}

/** Adds a field to the object at `path`, or puts an object with it there. */
function withField(body: Json, path: Path, name: string, value: Json): Json {
  const here = [...places(body)].find((place) => place.path.join("/") === path.join("/"))?.value ?? body;
  const fields = typeof here === "object" && here !== null && !Array.isArray(here) ? Object.entries(here) : [];
  return replaced(body, path, Object.fromEntries([...fields, [name, value]]));
}

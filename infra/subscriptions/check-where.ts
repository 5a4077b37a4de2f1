import { nearestName } from "../../lib/config/edit-distance.ts";
import type { FoundProblem } from "../../lib/config/index.ts";
import { isObject } from "../../lib/config/shape.ts";
import { DETAIL_TYPE, type EventType } from "../../lib/events/index.ts";
import { valueTestProblem } from "./check-value-test.ts";
import { detailShape, type Shape } from "./detail-shape.ts";

/**
 * Everything that a pattern on the event's detail has wrong: fields that no event has, and tests that EventBridge would refuse or that
 * could never match. A rule that never matches is the quietest of failures, so it is one at synthesis.
 */
export function checkWhere(where: unknown, types: readonly EventType[] = [DETAIL_TYPE]): FoundProblem[] {
  return fieldProblems(where, detailShape(types), []);
}

function fieldProblems(pattern: unknown, shape: Shape, path: PropertyKey[]): FoundProblem[] {
  if (Array.isArray(pattern)) return valueProblems(pattern, shape, path);
  if (!isObject(pattern)) return [{ path, message: "must be a list of alternatives in [ ], or an object of fields" }];
  if (shape.fields.size === 0 && !shape.open) {
    return [{ path, message: "has no fields in the event: give a list of alternatives in [ ]" }];
  }
  const names = Object.keys(pattern);
  // EventBridge refuses it; who wants every event leaves the pattern out.
  if (names.length === 0) return [{ path, message: "must name at least one field" }];
  return names.flatMap((name) => {
    const here = [...path, name];
    if (name === "$or") return alternativeProblems(pattern[name], shape, here);
    const field = shape.fields.get(name);
    if (field === undefined && !shape.open)
      return [{ path: here, message: unknownField(name, [...shape.fields.keys()]) }];
    return fieldProblems(pattern[name], field ?? shape, here);
  });
}

function valueProblems(tests: readonly unknown[], shape: Shape, path: PropertyKey[]): FoundProblem[] {
  if (tests.length === 0) return [{ path, message: "must hold at least one alternative" }];
  if (shape.fields.size > 0 && !tests.every((test) => test === null && shape.kinds.has("null"))) {
    // "exists" looks at leaves only: of an object it would never be true.
    return [{ path, message: `has fields: name one of ${[...shape.fields.keys()].join(", ")}` }];
  }
  return tests.flatMap((test, index) => {
    const message = valueTestProblem(test, shape);
    return message === undefined ? [] : [{ path: [...path, index], message }];
  });
}

function alternativeProblems(alternatives: unknown, shape: Shape, path: PropertyKey[]): FoundProblem[] {
  if (!Array.isArray(alternatives) || alternatives.length < 2 || !alternatives.every(isObject)) {
    return [{ path, message: "must be a list of at least two objects of fields" }];
  }
  return alternatives.flatMap((alternative, index) => fieldProblems(alternative, shape, [...path, index]));
}

function unknownField(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `unknown field; the known ones here are ${known.join(", ")}`
    : `unknown field, did you mean "${nearest}"?`;
}

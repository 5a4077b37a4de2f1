import type { DetailOf, EventType } from "../../lib/events/index.ts";

/**
 * A pattern on the detail of an event: which fields must hold which values. Fields and types are the contract's; the lists hold alternatives, plain
 * values or EventBridge's operators. Conditions below one array (`metrics`, `answers`) must hold in one and the same element of it.
 *
 * @example // A detractor of survey 103.
 * { data: { surveyId: [103], summary: { nps: { class: ["detractor"] }, test: [false] } } }
 */
export type Where = WhereOf<"response.completed">;

/** A pattern on the detail of events of one type. */
export type WhereOf<Type extends EventType> = PatternOf<DetailOf<Type>>;

/** A pattern on the detail of events of any type. */
export type AnyWhere = { [Type in EventType]: WhereOf<Type> }[EventType];

type PatternOf<T> = unknown extends T
  ? readonly Anything[] | { readonly [field: string]: unknown }
  : NonNullable<T> extends readonly (infer Element)[]
    ? PatternOf<Element>
    : NonNullable<T> extends object
      ? Fields<NonNullable<T>> | (null extends T ? readonly null[] : never)
      : readonly ValueTest<Exclude<T, undefined>>[];

type Fields<T> = { readonly [Field in keyof Documented<T>]?: PatternOf<T[Field]> } & {
  /** Two alternatives or more, each a pattern on the fields here. */
  readonly $or?: readonly [Fields<T>, Fields<T>, ...Fields<T>[]];
};

/** The contract's objects are open to fields that are added later; a pattern is held to those that there are. */
type Documented<T> = { [Field in keyof T as string extends Field ? never : Field]: T[Field] };

/** One alternative for a value, by the value's type. */
type ValueTest<T> = T extends string
  ? T | TextTest<T>
  : T extends number
    ? T | NumberTest
    : T extends boolean | null
      ? T | Exists
      : never;

type Anything = string | number | boolean | null | TextTest<string> | NumberTest;

type Exists = { readonly exists: boolean };

type TextTest<T extends string> =
  | Exists
  | { readonly prefix: string | IgnoringCase }
  | { readonly suffix: string | IgnoringCase }
  | IgnoringCase
  | { readonly wildcard: string }
  | { readonly cidr: string }
  | { readonly "anything-but": T | readonly T[] | Negated };

type IgnoringCase = { readonly "equals-ignore-case": string };

type Negated =
  | { readonly prefix: string | readonly string[] }
  | { readonly suffix: string | readonly string[] }
  | { readonly "equals-ignore-case": string | readonly string[] }
  | { readonly wildcard: string | readonly string[] };

type NumberTest =
  | Exists
  | { readonly numeric: readonly ["<" | "<=" | "=" | ">=" | ">", number] }
  | { readonly numeric: readonly [">" | ">=", number, "<" | "<=", number] }
  | { readonly "anything-but": number | readonly number[] };

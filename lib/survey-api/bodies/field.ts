import { isObject, readFlag, readId } from "../../json.ts";

/** One place of a body that is not as the API document shows it. It never holds a value of the body. */
export interface Odd {
  /** From the outermost field or index to the innermost. */
  path: (string | number)[];
  /** The documented type, such as `integer`, `string` or `object`. */
  expected: string;
  /** Whether nothing can be made of it that would be right. */
  isUnreadable?: boolean;
}

/** One field of the API document: its type, and how it is read. */
export interface Field<T> {
  /** Gives the value as it was read, and adds each place that is not as documented to `odd`. An empty map written as `[]` is given as `{}`. */
  read(value: unknown, odd: Odd[]): T;
}

/** The type of what a field holds. */
export type Of<F> = F extends Field<infer T> ? T : never;

function plain<T>(expected: string, fits: (value: unknown) => boolean): Field<T> {
  return {
    read(value, odd) {
      if (!fits(value)) odd.push({ path: [], expected });
      return value as T;
    },
  };
}

/** An integer by which an element is known: it has to be readable. In quotes it is read as the number, which is told. */
function needed(understand: (value: unknown) => number | undefined): Field<number> {
  return {
    read(value, odd) {
      if (Number.isSafeInteger(value)) return value as number;
      const understood = understand(value);
      odd.push({ path: [], expected: "integer", isUnreadable: understood === undefined });
      return understood as number;
    },
  };
}

/** An identifier, a count, a position, or a flag (0 or 1). */
export const integer = plain<number>("integer", Number.isSafeInteger);
export const id = needed(readId);
export const neededFlag = needed((value) => {
  const flag = readFlag(value);
  return flag === undefined ? undefined : Number(flag);
});
export const text = plain<string>("string", (value) => typeof value === "string");
export const bool = plain<boolean>("boolean", (value) => typeof value === "boolean");

/** A field that was only ever seen as null: its type otherwise is not shown, so it may be anything, or missing. */
export interface Anything extends Field<unknown> {
  isOptional: true;
}
export const nullSeen: Anything = { isOptional: true, read: (value) => value };

export const nullable = <T>(field: Field<T>): Field<T | null> => ({
  read: (value, odd) => (value === null ? null : field.read(value, odd)),
});

export function arrayOf<T>(element: Field<T>): Field<T[]> {
  return {
    read(value, odd) {
      if (!Array.isArray(value)) odd.push({ path: [], expected: "array" });
      else for (const [index, one] of value.entries()) readInside(element, one, [index], odd);
      return value as T[];
    },
  };
}

/** A map keyed by identifiers, or by positions, as strings. `[]` is read as `{}`: a service with one type for arrays and maps writes it so. */
export function mapOf<T>(field: Field<T>): Field<Record<string, T>> {
  return {
    read(value, odd) {
      if (Array.isArray(value) && value.length === 0) return {};
      const all = isObject(value) ? Object.keys(value).map((name) => [name, field] as const) : [];
      return readFields(value, all, odd) as Record<string, T>;
    },
  };
}

/** Several fields of one kind. */
export const fields = <F, Name extends string>(field: F, ...names: Name[]): Record<Name, F> =>
  Object.fromEntries(names.map((name) => [name, field])) as Record<Name, F>;

export type Shape = Readonly<Record<string, Field<unknown>>>;

/** An object with these fields, and whatever others a service sends. */
export type Resource<S extends Shape> = {
  -readonly [Name in keyof S as S[Name] extends Anything ? never : Name]: Of<S[Name]>;
} & { -readonly [Name in keyof S as S[Name] extends Anything ? Name : never]?: unknown } & { [name: string]: unknown };

export interface ResourceField<S extends Shape> extends Field<Resource<S>> {
  shape: S;
}

export function resource<const S extends Shape>(shape: S): ResourceField<S> {
  const all = Object.entries(shape);
  return { shape, read: (value, odd) => readFields(value, all, odd) as Resource<S> };
}

/** The same object unless a field is given otherwise than it was read. */
function readFields(value: unknown, all: readonly (readonly [string, Field<unknown>])[], odd: Odd[]): unknown {
  if (!isObject(value)) {
    odd.push({ path: [], expected: "object" });
    return value;
  }
  let changed: [string, unknown][] | undefined;
  for (const [name, field] of all) {
    const now = readInside(field, value[name], [name], odd);
    if (now === value[name]) continue;
    changed ??= [];
    changed.push([name, now]);
  }
  // Through entries, since assigning to `__proto__` would not make a field.
  return changed === undefined ? value : Object.fromEntries([...Object.entries(value), ...changed]);
}

/** @param at where it stands in what is being read */
export function readInside<T>(field: Field<T>, value: unknown, at: Odd["path"], odd: Odd[]): T {
  const before = odd.length;
  const read = field.read(value, odd);
  for (let i = before; i < odd.length; i += 1) odd[i]?.path.unshift(...at);
  return read;
}

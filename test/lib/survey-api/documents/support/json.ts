export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Path = (string | number)[];

const isContainer = (value: Json): value is Json[] | { [name: string]: Json } =>
  typeof value === "object" && value !== null;

/** Every place below `value`, outer ones first. */
export function* places(value: Json, at: Path = []): Generator<{ path: Path; value: Json }> {
  if (!isContainer(value)) return;
  const entries: [string | number, Json][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [step, inner] of entries) {
    const path = [...at, step];
    yield { path, value: inner };
    yield* places(inner, path);
  }
}

/** A copy with something else at `path`; without the field when `put` is undefined. Also for a field named `__proto__`. */
export function replaced(value: Json, path: Path, put: Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return put ?? null;
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (index !== step) return [item];
      return rest.length === 0 && put === undefined ? [] : [replaced(item, rest, put)];
    });
  }
  if (!isContainer(value)) throw new Error(`nothing at ${String(step)}`);
  const entries = Object.entries(value).filter(([name]) => name !== step || rest.length > 0 || put !== undefined);
  const known = entries.map(([name, inner]) => [name, name === step ? replaced(inner, rest, put) : inner] as const);
  const isNew = put !== undefined && rest.length === 0 && !Object.hasOwn(value, step);
  return Object.fromEntries(isNew ? [...known, [String(step), put] as const] : known);
}

/**
 * Name and description of the schema of an object. Generated code has one type of this name, wherever the object stands, so no other schema
 * may have it. `.extend()` does not hand it on.
 */
export function named(id: string, description: string, ...examples: unknown[]) {
  return { id, title: id, description, ...(examples.length > 0 && { examples }) };
}

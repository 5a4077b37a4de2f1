type Branch = Map<string, unknown[]>;

/**
 * Splits a valid pattern into patterns with one alternative a field and no `$or`. By definition an event matches the
 * pattern when it matches one of them.
 *
 * @returns undefined when there would be more than `most`
 */
export function simpleForms(pattern: object, most: number): object[] | undefined {
  const forms: object[] = [];
  for (const branch of branchesOf([new Map()], pattern, "")) {
    let products: Record<string, unknown[]>[] = [{}];
    for (const [path, alternatives] of branch) {
      products = products.flatMap((product) => alternatives.map((one) => ({ ...product, [path]: [one] })));
      if (products.length > most) return undefined;
    }
    forms.push(...products);
  }
  return forms.length > most ? undefined : forms;
}

function branchesOf(branches: Branch[], fields: object, path: string): Branch[] {
  let open = branches;
  for (const [name, value] of Object.entries(fields)) {
    const here = path === "" ? name : `${path}.${name}`;
    if (name === "$or") open = (value as object[]).flatMap((alternative) => branchesOf(open, alternative, path));
    else if (Array.isArray(value)) open = open.map((branch) => new Map(branch).set(here, value));
    else open = branchesOf(open, value as object, here);
  }
  return open;
}

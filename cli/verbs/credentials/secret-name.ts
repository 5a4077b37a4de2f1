/** The name that a stack gives to the credentials secret of a source. */
export function secretName(stack: string, source: string): string {
  return `${stack}/${source}/credentials`;
}

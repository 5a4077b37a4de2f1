/** `response.completed` is described by the schema ResponseCompletedEvent. */
export const titleOf = (type: string): string =>
  `${type.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}Event`;

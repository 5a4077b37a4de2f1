/** An event pattern that AWS would refuse as `InvalidEventPatternException`. */
export class InvalidEventPatternError extends Error {
  override readonly name = "InvalidEventPatternError";

  constructor(reason: string) {
    super(`Event pattern is not valid. Reason: ${reason}`);
  }
}

import { describe, expect, it } from "vitest";
import { guessLength } from "../../../../lib/polling/walk/list-length.ts";

describe("the length of a list", () => {
  it("is guessed by the responses of its pages so far, wherever these begin", () => {
    const length = guessLength(2_000);
    expect(length.left(1)).toBeUndefined();
    length.met(20);
    expect(length.left(1)).toBe(99);
    length.met(60);
    expect(length.left(42)).toBe(50 - 42);
    expect(length.left(60)).toBe(-10);
  });

  it("is not known where the service shows no count", () => {
    const length = guessLength(undefined);
    length.met(20);
    expect(length.left(1)).toBeUndefined();
  });
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEnvironment } from "../../lib/environment.ts";

const variables = {
  TABLE_NAME: "table",
  BUS_NAME: "bus",
  CLAIM_CHECK_BUCKET: "bucket",
  SECRETS: JSON.stringify({ main: { credentials: "c", token: "t" } }),
};

describe("the environment of a function", () => {
  it("is read once, as a whole", () => {
    expect(readEnvironment({ ...variables, PATH: "/bin" }, "/bundle")).toEqual({
      tableName: "table",
      busName: "bus",
      claimCheckBucket: "bucket",
      secrets: { main: { credentials: "c", token: "t" } },
      configFile: join("/bundle", "config.json"),
    });
  });

  it("that lacks something is an error that names all of it", () => {
    const broken = { BUS_NAME: "", SECRETS: JSON.stringify({ main: { credentials: "c" } }) };
    expect(() => readEnvironment(broken, "/bundle")).toThrow(
      expect.objectContaining({
        code: "BAD_ENVIRONMENT",
        message: expect.stringMatching(/TABLE_NAME.*BUS_NAME.*CLAIM_CHECK_BUCKET.*SECRETS/),
      }),
    );
  });

  it("with secrets that are not JSON is the same error, not the parser's", () => {
    expect(() => readEnvironment({ ...variables, SECRETS: "{" }, "/bundle")).toThrow(
      expect.objectContaining({ code: "BAD_ENVIRONMENT", message: expect.stringContaining("SECRETS") }),
    );
  });
});

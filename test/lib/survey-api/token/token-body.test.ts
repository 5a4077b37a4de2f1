import { describe, expect, it } from "vitest";
import { readTokenBody } from "../../../../lib/survey-api/token/token-body.ts";

describe("the token in the body of operation 1", () => {
  it.each([
    ["raw text", "abc.def.ghi"],
    ["raw text with a line end", "abc.def.ghi\n"],
    ["a JSON string", '"abc.def.ghi"'],
    ["token", '{"token":"abc.def.ghi"}'],
    ["access_token", '{"token_type":"bearer","access_token":"abc.def.ghi","expires_in":5}'],
    ["accessToken", '{"accessToken":"abc.def.ghi"}'],
    ["jwt", '{"jwt":"abc.def.ghi"}'],
    ["jwtToken beside a result", '{"result":"ok","jwtToken":"abc.def.ghi"}'],
    ["AUTH-TOKEN", '{"AUTH-TOKEN":"abc.def.ghi"}'],
    ["an array of one object, as all payloads are", '[{"token":"abc.def.ghi"}]'],
    ["an array of one string", '["abc.def.ghi"]'],
    ["data", '{"data":{"token":"abc.def.ghi"}}'],
    ["result", '{"status":"ok","result":["abc.def.ghi"]}'],
  ])("is found as %s", (_name, body) => {
    expect(readTokenBody(body)?.token).toBe("abc.def.ghi");
  });

  it.each([
    "",
    "<html>",
    "{}",
    "[]",
    "null",
    "7",
    '{"token":""}',
    '{"token":7}',
    '{"error":"no"}',
    "two words",
    "Unauthorized",
    '"Unauthorized"',
    '{"result":"error"}',
    '{"data":"denied"}',
    '["a","b"]',
    '{"token":"x\\r\\nset-cookie: y"}',
    '{"token":"abc.def.ghi"',
    '["abc.def.ghi"',
    '"abc.def.ghi',
  ])("is not found in %j", (body) => {
    expect(readTokenBody(body)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { type IssuedToken, readTokenBody } from "../../../../lib/survey-api/token/token-body.ts";

/** Beside the rows of operation 1 in the table of answers. */
describe("the token in the body of operation 1", () => {
  it.each([
    ["a JSON string", '"abc.def.ghi"'],
    ["jwt", '{"jwt":"abc.def.ghi"}'],
    ["jwtToken beside a result", '{"result":"ok","jwtToken":"abc.def.ghi"}'],
    ["AUTH-TOKEN", '{"AUTH-TOKEN":"abc.def.ghi"}'],
    ["an array of one object, as all payloads are", '[{"token":"abc.def.ghi"}]'],
    ["data", '{"data":{"token":"abc.def.ghi"}}'],
    ["result", '{"status":"ok","result":["abc.def.ghi"]}'],
    ["a field far down", '{"a":{"b":[{"c":{"d":{"accessToken":"abc.def.ghi"}}}]}}'],
    ["a field above others of the same name", '{"access_token":"abc.def.ghi","data":{"token":"csrf-of-a-form"}}'],
    ["access beside refresh", '{"refresh":"x.y.z","access":"abc.def.ghi"}'],
    ["the token for access of two", '{"tokens":{"access":{"token":"abc.def.ghi"},"refresh":{"token":"x.y.z"}}}'],
    ["a field beside a refresh token", '{"access_token":"abc.def.ghi","refresh":{"token":"x","expires_in":9}}'],
    ["the same text twice", '{"token":"abc.def.ghi","data":{"token":"abc.def.ghi"}}'],
  ])("is found as %s", (_name, body) => {
    expect(readTokenBody(body)).toMatchObject({ token: "abc.def.ghi" });
  });

  const jwt = `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.e30.c2ln`;

  it.each([
    ["among others in a list", `["ok","api.example.com","${jwt}"]`],
    ["with its scheme", `{"header":"Bearer ${jwt}"}`],
  ])("is the only JWT, %s", (_name, body) => {
    expect(readTokenBody(body)).toMatchObject({ token: jwt });
  });

  it("is not chosen between two JWTs", () => {
    expect(readTokenBody(`{"one":"${jwt}","other":"${jwt}x"}`)).toBeUndefined();
  });

  it.each([
    ["beside it", '{"token":"abc.def.ghi","expires_in":60}'],
    ["beside what holds it", '{"data":{"token":"abc.def.ghi"},"expiresIn":"60"}'],
    ["in a form", "access_token=abc.def.ghi&expires_in=60"],
  ])("comes with its life, told %s", (_name, body) => {
    expect(readTokenBody(body)).toEqual({ token: "abc.def.ghi", life: 60_000 } satisfies IssuedToken);
  });

  it.each([
    "",
    "{}",
    '{"token":""}',
    "Unauthorized",
    '"Unauthorized"',
    '["abc.def.ghi"',
    '{"host":"api.example.com"}',
    '{"refresh_token":"abc.def.ghi"}',
    '{"response":"0123456789abcdef0123456789abcdef"}',
    '{"message":"aLongWordWithoutAnySpaceInIt"}',
    '"abc.def.ghi',
  ])("is not found in %j", (body) => {
    expect(readTokenBody(body)).toBeUndefined();
  });
});

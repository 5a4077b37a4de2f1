import { describe, expect, it } from "vitest";
import { baseUrlProblem, normalBaseUrl } from "../../../lib/survey-api/base-url.ts";

describe("baseUrlProblem", () => {
  it.each([
    "https://surveys.example.com",
    "https://surveys.example.com/",
    "https://surveys.example.com:8443/eu/",
    "http://localhost:8080",
    "http://127.0.0.1:9000/",
    "http://127.8.9.10",
    "http://[::1]:9000",
  ])("accepts %s", (url) => {
    expect(baseUrlProblem(url)).toBeUndefined();
  });

  it.each([
    ["", "must be a URL"],
    ["surveys.example.com", "must be a URL"],
    [" https://surveys.example.com", "must be a URL"],
    ["https://surveys.exa\tmple.com", "must be a URL"],
    ["https://surveys.example.com\n", "must be a URL"],
    ["https:\\\\surveys.example.com", "must be a URL"],
    ["https://@surveys.example.com", "must not hold credentials"],
    ["ftp://surveys.example.com", "must begin with https://"],
    ["http://surveys.example.com", "must begin with https://"],
    ["http://127.0.0.1.example.com", "must begin with https://"],
    ["http://localhost.example.com", "must begin with https://"],
    ["http://192.168.1.1", "must begin with https://"],
    ["http://0.0.0.0", "must begin with https://"],
    ["http://[::2]", "must begin with https://"],
    ["https://someone@surveys.example.com", "must not hold credentials"],
    ["https://someone:hunter2@surveys.example.com", "must not hold credentials"],
    ["https://surveys.example.com/?key=hunter2", "must not hold a query"],
    ["https://surveys.example.com/#top", "must not hold a query"],
  ])("refuses %j", (url, problem) => {
    expect(baseUrlProblem(url)).toContain(problem);
    expect(baseUrlProblem(url)).not.toContain("hunter2");
  });
});

describe("normalBaseUrl", () => {
  it.each([
    ["https://Surveys.Example.com:443/", "https://surveys.example.com"],
    ["https://surveys.example.com/eu//", "https://surveys.example.com/eu"],
    ["http://127.1:9000/", "http://127.0.0.1:9000"],
    ["http://[::1]:9000", "http://[::1]:9000"],
  ])("gives %s one spelling", (url, normal) => {
    expect(normalBaseUrl(url)).toBe(normal);
  });
});

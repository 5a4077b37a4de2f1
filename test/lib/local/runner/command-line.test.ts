import { expect, it } from "vitest";
import { runCommand } from "../../../support/command.ts";

const WARNING = /^Warning: --client-secret .* Set SURVEY_CLIENT_SECRET in the environment instead\.$/m;

it("a client secret on the command line works, with a warning that names its better place", async () => {
  const { stderr } = await runCommand(["--client-secret", "hunter2", "--data", "/dev/null/none", "--no-console"]);
  expect(stderr).toMatch(WARNING);
  expect(stderr).not.toContain("hunter2");
});

it("the help names every flag but that one", async () => {
  const { code, stdout, stderr } = await runCommand(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("SURVEY_CLIENT_SECRET");
  expect(stdout).not.toContain("--client-secret");
  const names = ["base-url", "client-id", "ticks", "interval", "data", "events", "start-from", "surveys", "time-zone"];
  for (const name of [...names, "no-console", "port", "config"]) expect(stdout).toContain(`--${name} `);
});

import { expect, it } from "vitest";
import { createRenewalLimit } from "../../../../lib/survey-api/token/renewal-limit.ts";

function limited() {
  const time = { now: Date.UTC(2026, 2, 10, 12) };
  const limit = createRenewalLimit(() => time.now);
  const renew = (neverAccepted = false) => limit.replace(neverAccepted, async () => "another");
  const answered = (times: number): void => {
    for (let i = 0; i < times; i += 1) limit.answered();
  };
  return { time, limit, renew, answered };
}

const tooMany = {
  code: "TOO_MANY_RENEWALS",
  operation: "get token",
  retryable: true,
  hint: expect.stringContaining("who uses these credentials"),
};

it("renewals that fifty answers have earned are without number", async () => {
  const { renew, answered } = limited();
  for (let i = 0; i < 100; i += 1) {
    answered(50);
    await renew();
  }
  for (let i = 0; i < 5; i += 1) await renew();
});

it("five that were not earned are made in ten minutes", async () => {
  const { time, renew, answered } = limited();
  await renew();
  await renew();
  for (let i = 0; i < 3; i += 1) {
    answered(16);
    await renew();
  }
  await expect(renew()).rejects.toMatchObject(tooMany);
  // 48 answers, and two more.
  answered(2);
  await renew();
  await expect(renew()).rejects.toMatchObject(tooMany);
  time.now += 600_000;
  for (let i = 0; i < 5; i += 1) await renew();
  // A clock that is set back forgets.
  time.now -= 6 * 3_600_000;
  await renew();
});

it("two that were earned are saved up at most", async () => {
  const { renew, answered } = limited();
  answered(100_000);
  for (let i = 0; i < 2 + 5; i += 1) await renew();
  await expect(renew()).rejects.toMatchObject(tooMany);
});

it("none that was earned is spent on a token that was never accepted", async () => {
  const { renew, answered } = limited();
  answered(100_000);
  for (let i = 0; i < 5; i += 1) await renew(true);
  await expect(renew(true)).rejects.toMatchObject(tooMany);
  await renew();
});

it("one that fails neither counts nor costs what was earned", async () => {
  const { limit, renew, answered } = limited();
  answered(50);
  const failing = () => limit.replace(false, () => Promise.reject(new Error("no token")));
  for (let i = 0; i < 9; i += 1) await expect(failing()).rejects.toThrow("no token");
  for (let i = 0; i < 1 + 5; i += 1) await renew();
});

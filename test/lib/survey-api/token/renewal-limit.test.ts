import { expect, it } from "vitest";
import { createRenewalLimit } from "../../../../lib/survey-api/token/renewal-limit.ts";

/** A client among others, whose renewals that count are in `counted`. */
function limited() {
  const time = { now: Date.UTC(2026, 2, 10, 12) };
  const counted: number[] = [];
  const limit = createRenewalLimit(() => time.now);
  const renew = (neverAccepted = false) =>
    limit.replace(neverAccepted, { replaced: counted, record: (at) => void counted.push(at) }, async () => "another");
  const answered = (times: number): void => {
    for (let i = 0; i < times; i += 1) limit.answered();
  };
  return { time, counted, limit, renew, answered };
}

const tooMany = { code: "TOO_MANY_RENEWALS" };

it("renewals that fifty answers have earned are without number, and are not told to the others", async () => {
  const { counted, renew, answered } = limited();
  for (let i = 0; i < 100; i += 1) {
    answered(50);
    await renew();
  }
  expect(counted).toEqual([]);
});

it("five that were not earned are made in ten minutes, whoever makes them", async () => {
  const { time, counted, renew, answered } = limited();
  counted.push(time.now, time.now);
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
  await renew();
});

it("two that were earned are saved up at most", async () => {
  const { counted, renew, answered } = limited();
  answered(100_000);
  for (let i = 0; i < 2 + 5; i += 1) await renew();
  expect(counted).toHaveLength(5);
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
  const { time, counted, limit, renew, answered } = limited();
  answered(50);
  const turn = { replaced: counted, record: (at: number) => void counted.push(at) };
  const failing = () => limit.replace(false, turn, () => Promise.reject(new Error("no token")));
  for (let i = 0; i < 9; i += 1) await expect(failing()).rejects.toThrow("no token");
  counted.push(...Array.from({ length: 5 }, () => time.now));
  await renew();
});

import { archived } from "./archived.ts";
import { destroyed } from "./destroyed.ts";
import { eventsArrive } from "./events-arrive.ts";
import { firstDeployment, templateIsSound } from "./first-deployment.ts";
import { keptTable } from "./kept-table.ts";
import { nothingIsLost } from "./nothing-is-lost.ts";
import { type Given, onStage } from "./open-stage.ts";
import type { Stage } from "./stage.ts";
import { changeIsSeen, updated } from "./updated.ts";

/** One deployment from its first command to its last. */
export function lifeOfADeployment(given: Given): Promise<void> {
  return onStage(given, "life", async (stage) => {
    const deployment = await firstDeployment(stage);
    // A difference is looked for beside what changes nothing of the stack.
    const beside: Stage = { ...stage, report: stage.report.lane("diff") };
    const [subscribers] = await allOf(eventsArrive(stage, deployment), templateIsSound(beside, deployment));
    await archived(stage, deployment, subscribers);
    const [, change] = await allOf(nothingIsLost(stage, deployment, subscribers), changeIsSeen(beside));
    await updated(stage, deployment, subscribers, change);
    await destroyed(stage, deployment);
    await keptTable(stage, deployment, subscribers);
  });
}

/** Both results, once both have ended: what fails may not pull the emulator away from the other. */
async function allOf<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return await Promise.all([one, other]);
}

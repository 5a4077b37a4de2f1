import { seededRandom } from "../../support/random.ts";
import { type BusyLife, busyLife } from "./busy-life.ts";
import { type PolledService, polledService } from "./polled-service.ts";
import { chanceOf, seed } from "./seeded.ts";

export interface LivedService {
  service: PolledService;
  life: BusyLife;
  /** How to meet the same again. */
  replay: string;
}

/** Three small surveys that go on being answered, so that every tick has something to do. */
export async function livedService(): Promise<LivedService> {
  const service = await polledService({
    seed,
    surveys: [{ surveyId: 1, responses: 70, open: 8 }, { surveyId: 2, responses: 20, open: 2 }, { surveyId: 3 }],
    settings: { sortKey: "dateCompleted", openListed: true },
  });
  const life = busyLife(service.simulator, chanceOf(seededRandom(seed)));
  return { service, life, replay: `replay with WIRE_SEED=${seed}` };
}

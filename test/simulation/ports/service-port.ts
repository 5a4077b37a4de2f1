import * as definition from "../../../lib/events/build/definition.ts";
import { OutOfTimeError, type SurveyService } from "../../../lib/polling/index.ts";
import { type KeptDefinitions, withKeptDefinitions } from "../../../lib/service/kept-definitions.ts";
import { NEWS, toSurveyService } from "../../../lib/service/survey-service.ts";
import { TimeoutError } from "../../../lib/survey-api/errors.ts";
import { createCalls } from "../../../lib/survey-api/operations.ts";
import type { DataRequest } from "../../../lib/survey-api/token/authorized.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { Oracle } from "../oracle/oracle.ts";
import type { Life } from "../service/life.ts";
import type { World } from "../world.ts";
import { createAnswers, type ServiceAnswer } from "./service-answers.ts";
import type { Weather } from "./weather.ts";

/** Pages of one survey on their way at once from which on it is read ahead in depth. */
const MANY_PAGES = 3;
/** Milliseconds after which the client gives up an answer that never comes. */
const NEVER = 30_000;
/** Loading takes real time, which a history does not have. */
const loadReader = async (): Promise<typeof definition> => definition;

/**
 * The survey service as one process of the poller meets it: the client's own reading of answers, over a service that answers in virtual time. A failure is what
 * the client throws once its own retries have ended.
 */
export function servicePort(
  world: World,
  weather: Weather,
  life: Life,
  process: WorkerProcess,
  watch: Oracle["service"],
  { abortsAt, definitions }: { abortsAt: number; definitions: KeptDefinitions },
): SurveyService {
  const { clock } = process;
  /** As the client aborts what is under way when the invocation's time is over. */
  const timeIsUp = new Promise<never>((_, reject) => {
    const stop = clock.every(Math.max(0, abortsAt - clock.now()), () => {
      stop();
      reject(new OutOfTimeError());
    });
  });
  timeIsUp.catch(() => undefined);
  const restless = world.random(`restless ${process.name}`);
  const answerTo = createAnswers(world, weather, process, watch);
  /** Pages on their way, by survey. */
  const pages = new Map<number, number[]>();

  const ask = (request: DataRequest<unknown>): Promise<ServiceAnswer> => {
    if (clock.now() >= abortsAt) throw new OutOfTimeError();
    const { name, told, answer } = answerTo(request);
    return process.call("service", () => {
      watch.request(name);
      if (restless.chance(world.plan.restless)) {
        if ([...pages.values()].some((some) => new Set(some).size >= MANY_PAGES))
          world.sometimes("the list moves while pages are read ahead");
        life.hurry();
      }
      world.trace?.(() => `${process.name} ${told}`);
      return answer();
    });
  };

  const { elements, entries, response, survey } = createCalls(async ({ readBody, ...request }) => {
    const answer = await Promise.race([ask({ ...request, readBody }), timeIsUp]);
    const about = { operation: request.operation, attempts: 1 };
    if (answer.status === "never") {
      await Promise.race([process.sleep(NEVER), timeIsUp]);
      throw new TimeoutError("no whole answer in time", { ...about, retryable: true });
    }
    if (answer.status !== 200) return { ...answer, attempts: 1 };
    return { status: 200, value: readBody(answer.body, { ...about, status: 200 }), attempts: 1 };
  });
  const service = withKeptDefinitions(
    toSurveyService({ elements, entries, response, survey }, NEWS, undefined, loadReader),
    definitions,
  );

  return {
    ...service,
    async page(surveyId, number, order) {
      const some = pages.get(surveyId) ?? [];
      pages.set(surveyId, some);
      some.push(number);
      try {
        return await service.page(surveyId, number, order);
      } finally {
        some.splice(some.indexOf(number), 1);
      }
    },
  };
}

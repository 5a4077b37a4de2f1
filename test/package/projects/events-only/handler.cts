import { type ResponseCompleted, responseCompleted } from "survey-poller/events";

export const completed = (detail: unknown): ResponseCompleted => responseCompleted.parse(detail);

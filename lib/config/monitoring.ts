import * as z from "zod";
import type { MonitoringLevel } from "../monitoring/catalog.ts";
import { duration, flag, oneOf, readAs, refuse, section } from "./fields.ts";
import { MINUTE } from "./units.ts";

const EMAIL = "must be an e-mail address";
const RUNBOOK = 'must be an address or a path without "#", at most 500 characters';
const SHAPE = 'must be "minimal", "full" or an object such as { "level": "full", "email": "ops@example.com" }';

export const monitoringFields = section(
  {
    level: oneOf("minimal", "full").prefault("minimal"),
    email: z.email({ error: EMAIL }).optional(),
    alarms: flag().prefault(true),
    dashboard: flag().optional(),
    // Metrics are kept by the minute, and an alarm looks back for a day at most.
    lagThreshold: duration({ min: MINUTE, max: 24 * 60 * MINUTE }).prefault("30m"),
    runbook: z
      .string({ error: RUNBOOK })
      .regex(/^[^#\s]{1,500}$/, { error: RUNBOOK })
      .prefault("docs/runbook.md"),
  },
  SHAPE,
);

type Fields = typeof monitoringFields;
export type MonitoringConfig = Omit<z.output<Fields>, "dashboard"> & { dashboard: boolean };

/** Either a level alone or a section. */
export const monitoringSchema = z
  .custom<MonitoringLevel | z.input<Fields>>(() => true)
  .transform((value, context): MonitoringConfig => {
    if (typeof value === "string" && value !== "minimal" && value !== "full") return refuse(context, SHAPE);
    const fields = readAs(monitoringFields, typeof value === "string" ? { level: value } : value, context);
    if (fields === undefined) return z.NEVER;
    const { dashboard = fields.level === "full", ...rest } = fields;
    if (rest.email !== undefined && !rest.alarms) {
      context.addIssue({ code: "custom", path: ["email"], message: "has nothing to tell while alarms is false" });
      return z.NEVER;
    }
    return { ...rest, dashboard };
  });

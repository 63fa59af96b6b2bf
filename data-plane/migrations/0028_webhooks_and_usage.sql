CREATE TABLE "webhook_deliveries" (
	"webhook_id" text NOT NULL,
	"event" text NOT NULL,
	"subject_id" text NOT NULL,
	"session_id" text NOT NULL,
	"tenant" text NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"content" jsonb NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_attempt_at" timestamp (3) with time zone,
	"response_status" integer,
	"fault" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_webhook_id_event_subject_id_pk" PRIMARY KEY("webhook_id","event","subject_id")
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "cpu_seconds" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "memory_bytes_max" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "webhooks" jsonb;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "cpu_seconds" double precision;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "memory_bytes_max" bigint;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "notifies" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("webhook_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_session" ON "webhook_deliveries" USING btree ("session_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_settled" ON "webhook_deliveries" USING btree ("last_attempt_at") WHERE "webhook_deliveries"."status" <> 'pending';--> statement-breakpoint
-- Queues an end for those webhooks of a session that want it, in the transaction that records the end.
CREATE FUNCTION "queue_webhooks"(of_session text, of_event text, of_subject text, of_content jsonb) RETURNS void LANGUAGE sql AS $$
	INSERT INTO "public"."webhook_deliveries" ("webhook_id", "event", "subject_id", "session_id", "tenant", "url", "secret", "content")
	SELECT w ->> 'id', of_event, of_subject, s."id", s."tenant", w ->> 'url', w ->> 'secret',
		jsonb_build_object('sessionId', s."id", 'id', of_subject) || of_content
	FROM "public"."sessions" s, jsonb_array_elements(s."webhooks") w
	WHERE s."id" = of_session AND w -> 'events' ? of_event
	ON CONFLICT DO NOTHING
$$;--> statement-breakpoint
CREATE FUNCTION "queue_step_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "public"."queue_webhooks"(
		NEW."session_id", CASE WHEN NEW."job" IS NULL THEN 'step.ended' ELSE 'job.ended' END, NEW."id", jsonb_build_object(
			'number', NEW."number", 'contextId', NEW."context_id", 'actor', NEW."actor", 'language', NEW."language", 'status', NEW."status",
			'outcome', NEW."outcome", 'cause', NEW."cause", 'exitCode', CASE
				WHEN NEW."job" IS NULL THEN to_jsonb(NEW."exit_code")
				WHEN NEW."status" = 'succeeded' THEN to_jsonb(0) ELSE NEW."cause" -> 'exitCode' END,
			'durationMs', NEW."duration_ms", 'usage', CASE WHEN NEW."cpu_seconds" IS NOT NULL THEN
				jsonb_build_object('cpuSeconds', NEW."cpu_seconds", 'memoryBytesMax', NEW."memory_bytes_max") END));
	RETURN NULL;
END
$$;--> statement-breakpoint
-- Only a step that is admitted in a session with webhooks notifies them, and its end is an update then.
CREATE TRIGGER "steps_queue_webhooks" AFTER UPDATE OF "finished_at" ON "steps" FOR EACH ROW
WHEN (NEW."notifies" AND OLD."finished_at" IS NULL AND NEW."finished_at" IS NOT NULL)
EXECUTE FUNCTION "queue_step_webhooks"();--> statement-breakpoint
CREATE FUNCTION "queue_session_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "public"."queue_webhooks"(
		NEW."id", 'session.ended', NEW."id",
		jsonb_build_object('status', NEW."status", 'endReason', NEW."end_reason", 'endMessage', NEW."end_message"));
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "sessions_queue_webhooks" AFTER UPDATE OF "ended_at" ON "sessions" FOR EACH ROW
WHEN (NEW."webhooks" IS NOT NULL AND OLD."ended_at" IS NULL AND NEW."ended_at" IS NOT NULL)
EXECUTE FUNCTION "queue_session_webhooks"();

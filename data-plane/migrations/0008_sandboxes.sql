CREATE TABLE "database_identity" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	CONSTRAINT "database_identity_is_one_row" CHECK ("database_identity"."is_only")
);
--> statement-breakpoint
CREATE TABLE "sandboxes" (
	"session_id" text NOT NULL,
	"epoch" integer NOT NULL,
	"name" text NOT NULL,
	"uid" text,
	"state" text NOT NULL,
	"replica_id" text,
	"deadline_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sandboxes_session_id_epoch_pk" PRIMARY KEY("session_id","epoch")
);
--> statement-breakpoint
ALTER TABLE "warm_sandboxes" DROP CONSTRAINT "warm_sandboxes_session_id_unique";--> statement-breakpoint
DROP INDEX "sessions_live";--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "context_epoch_max" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "warm_sandboxes" ADD COLUMN "epoch" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "sandboxes" ADD CONSTRAINT "sandboxes_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sandboxes_on_the_way" ON "sandboxes" USING btree ("replica_id") WHERE "sandboxes"."state" in ('launching', 'fencing');--> statement-breakpoint
CREATE INDEX "sessions_in_quota" ON "sessions" USING btree ("tenant") WHERE "sessions"."sandbox_gone_at" is null;--> statement-breakpoint
ALTER TABLE "warm_sandboxes" ADD CONSTRAINT "warm_sandboxes_claim" UNIQUE("session_id","epoch");--> statement-breakpoint
-- The sandboxes of sessions of the earlier version, unless they are gone. No replica owns them, so those on the way go by their deadlines.
INSERT INTO "sandboxes" ("session_id", "epoch", "name", "uid", "state", "deadline_at")
SELECT s."id", s."epoch", coalesce(r."sandbox_name", replace(s."id", '_', '-') || '-' || s."epoch"), r."sandbox_uid",
	CASE WHEN s."ended_at" IS NOT NULL THEN 'fencing' WHEN r."session_id" IS NOT NULL THEN 'bound' ELSE 'launching' END,
	CASE WHEN s."ended_at" IS NOT NULL THEN now() WHEN r."session_id" IS NULL THEN s."start_deadline_at" END
FROM "sessions" s LEFT JOIN "session_routes" r ON r."session_id" = s."id" AND r."epoch" = s."epoch"
WHERE s."sandbox_gone_at" IS NULL;--> statement-breakpoint
UPDATE "sessions" SET "context_epoch_max" = seen."max"
FROM (SELECT "session_id", max("context_epoch") AS "max" FROM "steps" GROUP BY "session_id") AS seen
WHERE "sessions"."id" = seen."session_id" AND seen."max" > 1;

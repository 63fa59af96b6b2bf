CREATE TABLE "session_storage" (
	"session_id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"tenant" text PRIMARY KEY NOT NULL,
	"kept_bytes" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
-- Counts the files that sessions have already. It comes before the changes of tables, which hold up data-planes that serve.
INSERT INTO "session_storage" ("session_id", "tenant", "bytes") SELECT "sessions"."id", "sessions"."tenant", sum("size") FROM (
	SELECT "session_id", "sha256", "size" FROM "artifacts" WHERE "sha256" IS NOT NULL
	UNION
	SELECT "session_id", "sha256", "size" FROM "world_files"
) AS "distinct_contents" JOIN "sessions" ON "sessions"."id" = "session_id" GROUP BY "sessions"."id", "sessions"."tenant";--> statement-breakpoint
INSERT INTO "tenants" ("tenant", "kept_bytes") SELECT "tenant", sum("bytes") FROM "session_storage" GROUP BY "tenant";--> statement-breakpoint
ALTER TABLE "session_routes" ADD COLUMN "first_context_epoch" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "worlds" ADD COLUMN "reserved_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Those that were deleted meanwhile. A sum of a tenant that is wrong is corrected by the retention.
DELETE FROM "session_storage" WHERE NOT EXISTS (SELECT FROM "sessions" WHERE "id" = "session_id");--> statement-breakpoint
ALTER TABLE "session_storage" ADD CONSTRAINT "session_storage_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "session_storage_tenant" ON "session_storage" USING btree ("tenant");--> statement-breakpoint
CREATE INDEX "worlds_reserved" ON "worlds" USING btree ("session_id") WHERE "worlds"."reserved_bytes" > 0;

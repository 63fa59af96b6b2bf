CREATE TABLE "tenants" (
	"tenant" text PRIMARY KEY NOT NULL,
	"kept_bytes" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "kept_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "worlds" ADD COLUMN "reserved_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "worlds_reserved" ON "worlds" USING btree ("session_id") WHERE "worlds"."reserved_bytes" > 0;--> statement-breakpoint
-- Counts the files that sessions have already.
UPDATE "sessions" SET "kept_bytes" = "referenced"."bytes" FROM (
	SELECT "session_id", sum("size") AS "bytes" FROM (
		SELECT "session_id", "sha256", "size" FROM "artifacts" WHERE "sha256" IS NOT NULL
		UNION
		SELECT "session_id", "sha256", "size" FROM "world_files"
	) AS "distinct_contents" GROUP BY "session_id"
) AS "referenced" WHERE "sessions"."id" = "referenced"."session_id";--> statement-breakpoint
INSERT INTO "tenants" ("tenant", "kept_bytes") SELECT "tenant", sum("kept_bytes") FROM "sessions" GROUP BY "tenant";

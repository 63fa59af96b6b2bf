ALTER TABLE "sessions" ADD COLUMN "history_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Events that are stored from now on are not compressed, so that a part of them can be read without the rest. Earlier ones stay as they
-- are: they are decompressed up to the end of the part that is read.
ALTER TABLE "steps" ALTER COLUMN "events" SET STORAGE EXTERNAL;--> statement-breakpoint
UPDATE "sessions" SET "history_bytes" = stored.bytes FROM (
  SELECT "session_id", sum(octet_length("code") + coalesce(octet_length("events"), 0)) AS bytes FROM "steps" GROUP BY "session_id"
) AS stored WHERE "sessions"."id" = stored."session_id";

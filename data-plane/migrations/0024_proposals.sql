CREATE TABLE "proposal_changes" (
	"proposal_id" text NOT NULL,
	"session_id" text NOT NULL,
	"number" integer NOT NULL,
	"path" text NOT NULL,
	"kind" text NOT NULL,
	"change" text NOT NULL,
	"before_sha256" "bytea",
	"before_size" bigint,
	"before_executable" boolean,
	"after_sha256" "bytea",
	"after_size" bigint,
	"after_executable" boolean,
	"status" text DEFAULT 'open' NOT NULL,
	"is_in_place" boolean DEFAULT false NOT NULL,
	CONSTRAINT "proposal_changes_proposal_id_kind_path_pk" PRIMARY KEY("proposal_id","kind","path")
);
--> statement-breakpoint
CREATE TABLE "proposals" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"number" integer NOT NULL,
	"step_id" text,
	"status" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by" text,
	"decided_by_key" text
);
--> statement-breakpoint
ALTER TABLE "artifacts" ADD COLUMN "rule" text;--> statement-breakpoint
ALTER TABLE "worlds" ADD COLUMN "filled_patterns" jsonb;--> statement-breakpoint
ALTER TABLE "proposal_changes" ADD CONSTRAINT "proposal_changes_proposal_id_proposals_id_fk" FOREIGN KEY ("proposal_id") REFERENCES "public"."proposals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proposal_changes" ADD CONSTRAINT "proposal_changes_before_sha256_contents_sha256_fk" FOREIGN KEY ("before_sha256") REFERENCES "public"."contents"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proposal_changes" ADD CONSTRAINT "proposal_changes_after_sha256_contents_sha256_fk" FOREIGN KEY ("after_sha256") REFERENCES "public"."contents"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proposals" ADD CONSTRAINT "proposals_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "proposal_changes_open" ON "proposal_changes" USING btree ("session_id","path") WHERE "proposal_changes"."status" = 'open';--> statement-breakpoint
CREATE INDEX "proposal_changes_in_place" ON "proposal_changes" USING btree ("session_id") WHERE "proposal_changes"."is_in_place";--> statement-breakpoint
CREATE INDEX "proposal_changes_by_session" ON "proposal_changes" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "proposal_changes_by_content_before" ON "proposal_changes" USING btree ("before_sha256") WHERE "proposal_changes"."before_sha256" is not null;--> statement-breakpoint
CREATE INDEX "proposal_changes_by_content_after" ON "proposal_changes" USING btree ("after_sha256") WHERE "proposal_changes"."after_sha256" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "proposals_by_number" ON "proposals" USING btree ("session_id","number");--> statement-breakpoint
CREATE INDEX "proposals_open" ON "proposals" USING btree ("session_id") WHERE "proposals"."status" = 'open';--> statement-breakpoint
CREATE INDEX "proposals_by_step" ON "proposals" USING btree ("step_id") WHERE "proposals"."step_id" is not null;--> statement-breakpoint
-- Paths are ordered by bytes, as in the world.
ALTER TABLE "proposal_changes" ALTER COLUMN "path" SET DATA TYPE text COLLATE "C";
--> statement-breakpoint
-- A working copy has the files of a policy's read patterns. If these change, it is adapted like one that may differ from its world.
CREATE FUNCTION "adapt_working_copy"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "worlds" ("session_id", "is_unsettled") VALUES (NEW."id", true)
  ON CONFLICT ("session_id") DO UPDATE SET "is_unsettled" = true;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "sessions_adapt_working_copy" AFTER UPDATE OF "policy" ON "sessions" FOR EACH ROW
  WHEN (OLD."policy" -> 'world' -> 'readPatterns' IS DISTINCT FROM NEW."policy" -> 'world' -> 'readPatterns')
  EXECUTE FUNCTION "adapt_working_copy"();

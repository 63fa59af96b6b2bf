CREATE TABLE "snapshots" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"context_id" text NOT NULL,
	"language" text NOT NULL,
	"origin" text NOT NULL,
	"sha256" "bytea",
	"size" bigint NOT NULL,
	"manifest" jsonb,
	"epoch" integer NOT NULL,
	"context_epoch" integer NOT NULL,
	"execution_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "contexts" ADD COLUMN "settings" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "recovery" text DEFAULT 'off' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "recovery_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "lost_reason" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "lost_message" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "last_recovery" jsonb;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "replay" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_sha256_contents_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."contents"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "snapshots_by_context" ON "snapshots" USING btree ("session_id","context_id","epoch" DESC NULLS LAST,"context_epoch" DESC NULLS LAST,"execution_count" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "snapshots_by_content" ON "snapshots" USING btree ("sha256") WHERE "snapshots"."sha256" is not null;